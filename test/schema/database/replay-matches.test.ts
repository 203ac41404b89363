// What a replay will match, counted before it begins: all of it, or what a limit of time allows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  countMatches,
  type ReplayRange,
} from '../../../schema/database/webhooks/replay-matches.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;
let range: ReplayRange;

beforeAll(async () => {
  database = await createTestDatabase();
  const projectId = await addProject(database.db);
  // Two events from before the webhook, and one that it skipped.
  await addEvent(database.db, projectId);
  await addEvent(database.db, projectId);
  const webhookId = await addWebhook(database.db, projectId);
  const [id] = await addEvent(database.db, projectId);
  await database.db
    .updateTable('deliveries')
    .set({ status: 'skipped' })
    .where('id', '=', id!)
    .execute();
  range = {
    project_id: projectId,
    webhook_id: webhookId,
    environment: 'production',
    since: new Date(Date.now() - 60_000),
    until: new Date(Date.now() + 60_000),
    statuses: ['skipped', 'missing'],
    events: ['account.connected'],
  };
});
afterAll(() => database.drop());

describe('countMatches', () => {
  test('counts the deliveries of these statuses, and the events that have none', async () => {
    expect(await countMatches(database.db, range)).toBe(3);
    expect(await countMatches(database.db, { ...range, statuses: ['missing'] })).toBe(2);
    expect(await countMatches(database.db, { ...range, statuses: ['failed'] })).toBe(0);
  });

  test('counts no further than one window once its time is over', async () => {
    expect(await countMatches(database.db, range, 0)).toBe(1);
  });
});
