// Counting the matches of a replay: all of them, or those that a time limit allows.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  countMatches,
  type ReplayRange,
} from '../../../schema/database/webhooks/replay-matches.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';

let range: ReplayRange;

const database = useDatabase();
beforeAll(async () => {
  const projectId = await addProject(database.db);
  // Two events from before the webhook, and one that was skipped.
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

describe('countMatches', () => {
  test('counts the deliveries with these statuses, and the events without a delivery', async () => {
    expect(await countMatches(database.db, range)).toBe(3);
    expect(await countMatches(database.db, { ...range, statuses: ['missing'] })).toBe(2);
    expect(await countMatches(database.db, { ...range, statuses: ['failed'] })).toBe(0);
  });

  test('stops after one window when its time is over', async () => {
    expect(await countMatches(database.db, range, 0)).toBe(1);
  });
});
