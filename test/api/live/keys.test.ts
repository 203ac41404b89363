// Streams end soon after their key is revoked or expires.
import { once } from 'node:events';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { createKeyWatch } from '../../../api/live/key-watch.ts';
import { insertChanges } from '../../../schema/database/live/changes.ts';
import { useApp } from '../../support/app/app.ts';
import { openEventStream } from '../../support/receivers/event-stream.ts';
import { createBigPost, overflow } from '../../support/graphql/feed.ts';
import {
  subscribeOverSocket,
  subscribeOverSse,
  type SubscribeOptions,
  type Subscription,
} from '../../support/graphql/graphql.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { watchStatements } from '../../support/rows/statements.ts';

const app = useApp({ roles: { api: true, worker: false } });

const query = 'subscription { postUpdated { cursor } }';

async function makeKey(extra: object = {}): Promise<{ id: string; key: string }> {
  const { body } = await app.api.post('/v1/api-keys', { name: 'brief', ...extra });
  return body.data;
}

function expectUnauthorized(transport: string, code: number, { messages }: Subscription): void {
  if (transport === 'WebSocket') return expect(code).toBe(4401);
  const { extensions } = messages.at(-1).errors[0];
  expect(extensions).toMatchObject({ code: 'unauthorized', cursor: expect.any(String) });
  const before = messages.at(-2)?.data.postUpdated.cursor;
  if (before) expect(extensions.cursor).toBe(before);
}

describe.concurrent.each([
  ['WebSocket', (options: SubscribeOptions) => subscribeOverSocket(options)],
  ['SSE', subscribeOverSse],
] as const)('a stream over %s', (transport, subscribe) => {
  const open = async (key: string) => subscribe({ url: app.url, key, query });

  /** Creates posts until each stream has another message, because a stream may still be opening. */
  async function receiveMore(...streams: Subscription[]): Promise<void> {
    const { id } = await app.tenant.connectSandbox('ada');
    const counts = streams.map(({ messages }) => messages.length);
    const receive = async () => {
      await app.tenant.createPost({ caption: 'a', account_ids: [id], status: 'draft' });
      const more = streams.map(({ messages }, index) => messages.length > counts[index]!);
      expect(more).not.toContain(false);
    };
    await vi.waitFor(receive, { timeout: 20_000, interval: 50 });
  }

  test("ends within 5 s of the revocation of its key, while another key's stream continues", async () => {
    const { id, key } = await makeKey();
    await using stream = await open(key);
    await using other = await open(app.tenant.key);
    await receiveMore(stream, other);
    await app.api.delete(`/v1/api-keys/${id}`);
    const revokedAt = Date.now();
    const code = await stream.closed;
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
    expectUnauthorized(transport, code, stream);
    await receiveMore(other);
  });

  test('ends within 5 s of the expiry of its key', async () => {
    const { id, key } = await makeKey();
    await using stream = await open(key);
    await receiveMore(stream);
    // Only now, because a busy machine may need seconds to open a stream.
    const expiresAt = Date.now() + 1_000;
    const expiry = { expires_at: new Date(expiresAt) };
    await app.context.db.updateTable('api_keys').set(expiry).where('id', '=', id).execute();
    const code = await stream.closed;
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    expect(Date.now()).toBeLessThan(expiresAt + 5_000);
    expectUnauthorized(transport, code, stream);
  });
});

test('after its key is revoked, a client gets no waiting message', async () => {
  const { id: keyId, key } = await makeKey();
  const id = await createBigPost(app);
  const stream = await openEventStream({
    url: app.url,
    key,
    query: 'subscription ($id: ID) { postUpdated(id: $id) { change post { metadata } } }',
    variables: { id },
  });
  await expect.poll(() => stream.messages.length).toBe(1);
  stream.response.pause();
  // Fewer than end the stream of a slow client, and more than the buffers on the way can take.
  const kinds = await overflow(app, id, 900);
  await using other = subscribeOverSocket({ url: app.url, key, query });
  await app.api.delete(`/v1/api-keys/${keyId}`);
  expect(await other.closed).toBe(4401);
  const ended = once(stream.response, 'end');
  stream.response.resume();
  await ended;
  const { code, cursor } = stream.messages.at(-1).errors[0].extensions;
  expect(code).toBe('unauthorized');
  // All but the current state, which came first, and the error.
  const shown = stream.messages.length - 2;
  expect(shown).toBeLessThan(kinds.length);
  // With another key, the client gets the messages that were dropped.
  await using resumed = subscribeOverSocket({
    url: app.url,
    key: app.tenant.key,
    query: `subscription { postUpdated(id: "${id}", after: "${cursor}") { change } }`,
  });
  const rest = await resumed.waitFor(kinds.length - shown);
  expect(rest.map(({ data }) => data.postUpdated.change)).toEqual(kinds.slice(shown));
});

test('a key that is first watched during a check of other keys is not ended by that check', async () => {
  const [checked, late] = [await makeKey(), await makeKey()];
  const ended: string[] = [];
  const { db, log } = app.context;
  const watch = createKeyWatch({ db, log });
  using statements = watchStatements();
  try {
    await inQuietTransaction(db, async (trx) => {
      await sql`lock table api_keys in access exclusive mode`.execute(trx);
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      watch.watch({ keyId: checked.id }, () => ended.push('checked'));
      vi.advanceTimersByTime(2_000);
      vi.useRealTimers();
      // The first check is under way, and waits for the lock.
      const isAsked = () => statements.sent.some(({ values }) => values.includes(checked.id));
      await expect.poll(isAsked).toBe(true);
      watch.watch({ keyId: late.id }, () => ended.push('late'));
      // Its end shows that the check is over.
      await sql`update api_keys set revoked_at = now() where id = ${checked.id}`.execute(trx);
    });
    await expect.poll(() => ended).not.toEqual([]);
    expect(ended).toEqual(['checked']);
  } finally {
    watch.close();
  }
});

test('a test key gets no messages about production accounts', async () => {
  const { db, notifier } = app.context;
  const [hidden, shown] = [
    await app.tenant.connectSandbox('hidden'),
    await app.tenant.connectSandbox('shown'),
  ];
  await db
    .updateTable('social_accounts')
    .set({ platform: 'bluesky' })
    .where('id', '=', hidden.id)
    .execute();
  const { key } = await makeKey({ environment: 'test' });
  await using stream = subscribeOverSocket({
    url: app.url,
    key,
    query: 'subscription { accountUpdated { accountId change } }',
  });
  // The stream must be open before the first change.
  await expect
    .poll(async () => {
      for (const { id } of [hidden, shown]) {
        await inQuietTransaction(db, (trx) =>
          insertChanges(trx, [
            {
              project_id: app.tenant.projectId,
              subject: 'account',
              subject_id: id,
              kind: 'refreshed',
            },
          ]),
        );
      }
      notifier.notify('fanfare_changes');
      return stream.messages.length;
    })
    .toBeGreaterThan(1);
  const ids = stream.messages.map((message) => message.data.accountUpdated.accountId);
  expect(new Set(ids)).toEqual(new Set([shown.id]));
});
