// An activity that throws: its log line, and its error in the output of `stuck`.
import { expect, test } from 'vitest';
import { showStuck } from '../../../api/cli/stuck.ts';
import { ago } from '../../../schema/database/database-clock.ts';
import { recordActivityFailure } from '../../../schema/database/dispatch/activity-failures.ts';
import { useApp } from '../../support/app/app.ts';
import { createTestLog } from '../../support/log.ts';

const { log, lines } = createTestLog();
const app = useApp({ log });

/** The output of `stuck` an hour after all was due. */
async function stuckLines(): Promise<string[]> {
  const { db } = app.context;
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await db.updateTable('posts').set({ run_due_at: anHourAgo }).execute();
  await db
    .updateTable('deliveries')
    .set({ next_attempt_at: anHourAgo })
    .where('next_attempt_at', 'is not', null)
    .execute();
  return (await showStuck(db, 15)).text.split('\n');
}

const findFailure = (workflowId: string) =>
  app.context.db
    .selectFrom('activity_failures')
    .selectAll()
    .where('workflow_id', '=', workflowId)
    .executeTakeFirst();

test('a post whose activity throws is logged, and listed with the error', async () => {
  const { db } = app.context;
  const account = await app.tenant.connectSandbox('ada');
  await db.updateTable('grants').set({ credentials_key_id: 'lost' }).execute();
  const post = await app.tenant.createPost({ caption: 'hello', account_ids: [account.id] });
  const { workflow_id } = await db
    .selectFrom('posts')
    .select('workflow_id')
    .where('id', '=', post.id)
    .executeTakeFirstOrThrow();
  await expect.poll(async () => (await findFailure(workflow_id!))?.failures).toBeGreaterThan(1);

  const logged = lines.filter((line) => line.workflow_id === workflow_id);
  expect(logged[0]).toMatchObject({
    msg: 'an activity failed',
    activity: 'beginPost',
    activity_id: expect.any(String),
    attempt: 1,
    error: 'Error: No key in the vault has the id lost.',
  });
  expect(logged[0]!.stack).toContain('vault.ts');
  expect(await stuckLines()).toEqual([
    expect.stringMatching(
      new RegExp(
        `^${post.id}  .*  ${workflow_id}  beginPost failed \\d+ times, last at .*Z: Error: No key in the vault has the id lost\\.$`,
      ),
    ),
    expect.stringMatching(/^ {2}res_.* waits for start /),
  ]);
  await db.updateTable('grants').set({ credentials_key_id: 'test' }).execute();
  expect((await app.tenant.waitForPost(post.id)).status).toBe('published');
  expect(await stuckLines()).toEqual(['Nothing is stuck.']);
});

test('a delivery that cannot be signed is listed with the error', async () => {
  const { db } = app.context;
  const webhook = await app.tenant.createWebhook('http://127.0.0.1:9', ['account.connected']);
  await db.updateTable('webhook_subscriptions').set({ secret_key_id: 'lost' }).execute();
  await app.tenant.connectSandbox('bob');
  const findBatch = () =>
    db
      .selectFrom('deliveries')
      .select('batch_id')
      .where('webhook_id', '=', webhook.id)
      .executeTakeFirst();
  await expect
    .poll(async () => {
      const { batch_id } = (await findBatch()) ?? {};
      return batch_id ? findFailure(`deliveries/${batch_id}`) : undefined;
    })
    .toMatchObject({ activity: 'deliver', error: expect.stringContaining('lost') });
  expect(await stuckLines()).toEqual([expect.stringMatching(/^dlv_.* deliver failed .*lost/)]);
});

test('a failure is shown on one line, with at most 500 characters and no control characters', async () => {
  const { db } = app.context;

  const error = `Error: one\ntwo\u001b[31m ${'x'.repeat(1_000)}\0`;
  await recordActivityFailure(db, { workflowId: 'w', activity: 'prune', error });
  const first = await findFailure('w');
  expect(first!.error).toMatch(/^Error: one two \[31m x+$/);
  expect(first!.error).toHaveLength(500);
  await db
    .updateTable('activity_failures')
    .set({ failed_at: ago(60_000) })
    .where('workflow_id', '=', 'w')
    .execute();
  await recordActivityFailure(db, { workflowId: 'w', activity: 'prune', error: 'again' });
  expect(await findFailure('w')).toMatchObject({ error: 'again', failures: 2 });
  const { failed_at } = (await findFailure('w'))!;
  expect(failed_at.getTime()).toBeGreaterThanOrEqual(first!.failed_at.getTime());
});
