// A user with an account, posts, events, deliveries and a connect session. Each of the user's traces has its
// own name.
import { sql } from 'kysely';
import { endAttempt } from '../../../schema/database/posts/target-steps.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import type { TestRest } from '../app/rest.ts';
import { dump } from './erasures.ts';
import { conclude, createStarted, failTarget, publishTarget, type Author } from './posts.ts';

export const plantedUser = 'planted-user-id';
const email = 'planted-email@example.com';

export const plantedAccount = {
  account_name: 'planted-name',
  picture_url: 'https://cdn.test/planted-picture',
  external_account_id: 'planted-account-id',
  external_user_id: plantedUser,
  external_user_email: email,
  traits: { handle: 'planted-trait' },
  scope: ['planted-scope'],
};

/** All traces that `plant` and `deliverAll` write, in order. */
export const planted = [
  'planted-account-id',
  'planted-answered-id',
  'planted-attempt-code',
  'planted-attempt-detail',
  'planted-attempt-error',
  'planted-attempt-message',
  'planted-email',
  'planted-error-code',
  'planted-message',
  'planted-name',
  'planted-picture',
  'planted-post-id',
  'planted-provider-error',
  'planted-receiver-address',
  'planted-receiver-answer',
  'planted-receiver-header',
  'planted-return-url',
  'planted-scope',
  'planted-trait',
  'planted-url',
  'planted-user-id',
];

export const rejectedCall = {
  outcome: 'rejected' as const,
  durationMs: 1,
  errorCode: 'planted-attempt-code',
  errorMessage: 'planted-attempt-message',
  providerError: { body: 'planted-attempt-error' },
};

export async function findPlanted({ context }: TestRest): Promise<string[]> {
  return [...new Set((await dump(context.db)).match(/planted-[a-z-]+/g))].toSorted();
}

/** An account of the user with a published and a failed post, events, deliveries and a connect session. */
export async function plant(
  rest: TestRest,
  author: Author,
  columns: Partial<SocialAccountRow> = {},
) {
  const { key, projectId } = author;
  const { db } = rest.context;
  const accountId = await rest.insertAccount(projectId, { ...plantedAccount, ...columns });
  const set = (id: string, changes: object) =>
    db.updateTable('post_results').set(changes).where('id', '=', id).execute();
  const webhook = { url: 'https://receiver.example' };
  await rest.call('POST', '/v1/webhooks', { key, body: webhook });

  const account_ids = [accountId, author.accounts[0]];
  const published = await createStarted(rest, author, { account_ids });
  await publishTarget(rest, published.resultIds[0], { note: 'planted-attempt-detail' });
  await publishTarget(rest, published.resultIds[1]);
  const url = 'https://network.example/planted-url';
  await set(published.resultIds[0], { external_id: 'planted-post-id', url });
  await conclude(rest, published.id);

  const failed = await createStarted(rest, author, { account_ids: [accountId], caption: 'failed' });
  const [failedId] = failed.resultIds;
  await failTarget(rest, failedId, 'rejected');
  await endAttempt(db, failedId, 1, rejectedCall);
  await set(failedId, {
    error_message: 'planted-message',
    platform_error_code: 'planted-error-code',
    provider_error: JSON.stringify({ body: 'planted-provider-error' }),
    in_reply_to: 'planted-answered-id',
  });
  await conclude(rest, failed.id);

  const sessionId = await plantSession(rest, author.key);
  await db
    .updateTable('connect_sessions')
    .set({ return_url: 'https://app.example/planted-return-url' })
    .where('id', '=', sessionId)
    .execute();
  return { accountId, published, failedId, sessionId };
}

export async function plantSession(
  rest: TestRest,
  key: string,
  external_user_id = plantedUser,
): Promise<string> {
  const body = { platform: 'sandbox', external_user_id, external_user_email: email };
  return (await rest.call('POST', '/v1/connect/sessions', { key, body })).body.data.id;
}

/** Gives each delivery an attempt that succeeded. */
export async function deliverAll({ context: { db } }: TestRest): Promise<void> {
  await sql`
    insert into delivery_attempts (delivery_id, number, trigger, started_at, timings, remote_address,
      request_headers, response_headers, response_body)
    select id, 1, 'event', now(), '{}', 'planted-receiver-address', '{}',
      '{"x":"planted-receiver-header"}', 'planted-receiver-answer'
    from deliveries on conflict do nothing`.execute(db);
  await sql`
    update deliveries set status = 'delivered', concluded_at = now(), delivered_at = now()`.execute(
    db,
  );
}
