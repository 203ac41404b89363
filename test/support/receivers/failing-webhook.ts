// A webhook on its own database. Its attempts are recorded, and its health is checked, as by a worker.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createDeliveryRecorder } from '../../../activities/delivering/recorder.ts';
import { createWebhookHealth } from '../../../activities/delivering/webhook-health.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { AttemptRecord } from '../../../schema/database/webhooks/delivery-attempts.ts';
import { createTestLog } from '../log.ts';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
import { addDeliveries, changesOf, statusesOf } from './delivery-rows.ts';
import { createEngine, type Engine } from '../app/engine.ts';
import { addProject, addWebhook } from '../rows/rows.ts';

export const hourMs = 3_600_000;
export const ago = (ms: number) => new Date(Date.now() - ms);

/** Each test has a new webhook, which was enabled two hours ago, in its own project. */
export function useFailingWebhook() {
  let database: TestDatabase;
  let engine: Engine;
  let projectId: string;
  let webhookId: string;

  const enabledSince = (enabled_at: Date) =>
    database.db
      .updateTable('webhook_subscriptions')
      .set({ enabled_at })
      .where('id', '=', webhookId)
      .execute();

  beforeAll(async () => {
    database = await createTestDatabase();
    engine = createEngine(database, { namespace: 'none' });
  });

  beforeEach(async () => {
    projectId = await addProject(database.db);
    webhookId = await addWebhook(database.db, projectId, {
      url: 'https://user:word@hooks.example.com:8443/path-word?token=query-word',
    });
    await enabledSince(ago(2 * hourMs));
  });

  afterAll(async () => {
    await engine.close();
    await database.drop();
  });

  /** A worker's recorder, with the checks of health that follow from its records. `db`: where the checks run. */
  function createWorker({
    afterMs = hourMs,
    db = database.db,
  }: { afterMs?: number; db?: Db } = {}) {
    const { log, lines } = createTestLog('info');
    const health = createWebhookHealth({
      db,
      notifier: engine.notifier,
      log,
      rule: { afterFailures: 5, afterMs },
    });
    const recorder = createDeliveryRecorder(database.db, engine.notifier, health.follow);
    return {
      lines,
      recorder,
      async record(...attempts: AttemptRecord[]) {
        await Promise.all(attempts.map((each) => recorder.record(each)));
        await health.settled();
      },
    };
  }

  return {
    get db() {
      return database.db;
    },
    get id() {
      return webhookId;
    },
    createWorker,
    enabledSince,
    addDeliveries: (count: number) => addDeliveries(database.db, projectId, count),
    read: () =>
      database.db
        .selectFrom('webhook_subscriptions')
        .selectAll()
        .where('id', '=', webhookId)
        .executeTakeFirstOrThrow(),
    delivery: (id: string) =>
      database.db
        .selectFrom('deliveries')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    statuses: (ids: string[]) => statusesOf(database.db, ids),
    changesOf: (subjectId: string) => changesOf(database.db, subjectId),
  };
}
