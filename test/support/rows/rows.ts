// Rows that the engine works on, written without an API: webhooks, events, posts.
import type { Db, OutboxRow } from '../../../schema/database/tables.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { claimBatch } from '../../../schema/database/dispatch/claims.ts';
import { insertPublishPost } from '../../../schema/database/outbox.ts';
import { insertPost } from '../../../schema/database/posts/insert-post.ts';
import { insertProject } from '../../../schema/database/projects.ts';
import { createVault } from '../../../schema/database/vault.ts';
import { newId } from '../../../schema/wire/ids.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import { generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import { inQuietTransaction } from './quiet-transaction.ts';

export const rowsVault = createVault(new Map([['k', Buffer.alloc(32, 7)]]), 'k');

const type = 'account.connected';

/** Timings of an attempt whose timings don't matter. */
export const anyTimings = {
  dns_ms: null,
  connect_ms: null,
  tls_ms: null,
  first_byte_ms: null,
  total_ms: 1,
};

export async function addProject(db: Db): Promise<string> {
  const id = newId('project');
  await insertProject(db, { id, name: 'test' });
  return id;
}

/** Adds an active webhook, which is subscribed to the event of `addEvent`. */
export async function addWebhook(
  db: Db,
  projectId: string,
  { url = 'http://127.0.0.1:9', failingSince = null as Date | null } = {},
): Promise<string> {
  const id = newId('webhook');
  const sealed = rowsVault.seal(generateWebhookSecret(), `webhook_subscriptions/${id}`);
  await db
    .insertInto('webhook_subscriptions')
    .values({
      id,
      project_id: projectId,
      environment: 'production',
      url,
      events: [type],
      status: 'active',
      secret: sealed.ciphertext,
      secret_key_id: sealed.keyId,
      secret_preview: 'whsec_',
      failing_since: failingSince,
    })
    .execute();
  return id;
}

/** Adds an event with one delivery to each of the project's webhooks. Returns the deliveries' ids. */
export async function addEvent(db: Db, projectId: string): Promise<string[]> {
  const { eventId } = await inQuietTransaction(db, (trx) =>
    recordEvent(
      trx,
      { projectId, environment: 'production', type, data: { n: 1 } },
      { previewEvents: false },
    ),
  );
  const rows = await db
    .selectFrom('deliveries')
    .select('id')
    .where('event_id', '=', eventId!)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Adds one event to the project's webhooks, with its deliveries claimed as one batch. */
export async function addBatch(db: Db, projectId: string): Promise<OutboxRow> {
  await addEvent(db, projectId);
  return (await claimBatch(db, { limit: 200 }))!;
}

/** Adds a connected account, without asking its network. */
export async function addAccount(
  db: Db,
  projectId: string,
  platform: PlatformName,
): Promise<string> {
  const id = newId('account');
  await db
    .insertInto('social_accounts')
    .values({
      id,
      project_id: projectId,
      platform,
      account_name: id,
      external_account_id: id,
      connection_type: 'byo',
      status: 'active',
    })
    .execute();
  return id;
}

/** A post with one target, and the outbox row that asks for its workflow. */
export async function addPost(
  db: Db,
  { scheduledAt = null as Date | null } = {},
): Promise<{ postId: string; workflowId: string }> {
  const projectId = await addProject(db);
  const postId = newId('post');
  const accountId = await addAccount(db, projectId, 'sandbox');
  const workflowId = await inQuietTransaction(db, async (trx) => {
    const asked = await insertPublishPost(trx, projectId, { postId, run: 1 }, scheduledAt);
    await insertPost(
      trx,
      {
        id: postId,
        project_id: projectId,
        caption: 'hello',
        status: scheduledAt ? 'scheduled' : 'pending',
        scheduled_at: scheduledAt,
        current_run: 1,
        workflow_id: asked,
        created_at: new Date(),
      },
      [
        {
          id: newId('result'),
          post_id: postId,
          project_id: projectId,
          position: 0,
          social_account_id: accountId,
          platform: 'sandbox',
          account_name: 'ada',
          status: 'pending',
          phase: 'prepare',
          phase_state: 'ready',
        },
      ],
    );
    return asked;
  });
  return { postId, workflowId };
}

/** ID of the workflow that owns the post's current run. */
export async function workflowOf(db: Db, postId: string): Promise<string> {
  const post = db.selectFrom('posts').select('workflow_id').where('id', '=', postId);
  return (await post.executeTakeFirstOrThrow()).workflow_id!;
}
