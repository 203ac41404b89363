// Live subscriptions over WebSocket and SSE: complete, in order, and limited to the caller's project.
import { beforeAll, describe, expect, test } from 'vitest';
import { changeKinds } from '../../../schema/change-kinds.ts';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { elapse } from '../../support/elapse.ts';
import { writeChanges } from '../../support/graphql/feed.ts';
import {
  ask,
  subscribeOverSocket,
  subscribeOverSse,
  type Message,
} from '../../support/graphql/graphql.ts';
import type { Tenant } from '../../support/app/seed.ts';

let account: Account;

const app = useApp();
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

const postUpdated = `subscription ($id: ID, $after: String) {
  postUpdated(id: $id, after: $after) {
    cursor change postId post { id status results { status externalId } }
  }
}`;
const deliveryUpdated = `subscription ($webhookId: ID, $id: ID, $after: String) {
  deliveryUpdated(webhookId: $webhookId, id: $id, after: $after) {
    cursor change deliveryId delivery { id webhookId status attempts { number statusCode } }
  }
}`;

const publish = (tenant: Tenant = app.tenant, accountId = account.id) =>
  tenant.createPost({ caption: 'hello', account_ids: [accountId] });

const update = (message: Message) => message.data.postUpdated;
const isConcluded = (message: Message) =>
  ['published', 'failed', 'partial'].includes(update(message)?.post?.status?.toLowerCase());

/** A change of a post that exists, and nothing else: cheap to make many of. */
async function change(projectId: string, postId: string, kind: string): Promise<void> {
  await writeChanges(app.context.db, [
    { project_id: projectId, subject: 'post', subject_id: postId, kind },
  ]);
  app.context.notifier.notify('fanfare_changes');
}

describe.each([
  [
    'WebSocket',
    (options: Parameters<typeof subscribeOverSocket>[0]) => subscribeOverSocket(options),
  ],
  ['SSE', subscribeOverSse],
] as const)('postUpdated over %s', (_, subscribe) => {
  const open = async (variables: Record<string, unknown> = {}, key = app.tenant.key) =>
    subscribe({ url: app.url, key, query: postUpdated, variables });

  test('shows the current state first, then every step to the end', async () => {
    const post = await publish();
    await using subscription = await open({ id: post.id });
    const messages = await subscription.until(isConcluded);
    expect(update(messages[0]).change).toBe('present');
    expect(update(messages[0]).post.id).toBe(post.id);
    const kinds = messages.slice(1).map((message) => update(message).change);
    expect(kinds.filter((kind) => !changeKinds.post.includes(kind))).toEqual([]);
    expect(new Set(messages.map((message) => update(message).postId))).toEqual(new Set([post.id]));
    expect(update(messages.at(-1)).post).toMatchObject({
      status: 'PUBLISHED',
      results: [{ status: 'PUBLISHED', externalId: expect.any(String) }],
    });
    expect(new Set(messages.map((message) => update(message).cursor)).size).toBe(messages.length);
  });

  test('shows the result at once if the post has already ended', async () => {
    const post = await publish();
    await app.tenant.waitForPost(post.id);
    await using subscription = await open({ id: post.id });
    const [first] = await subscription.waitFor(1);
    expect(update(first).post.status).toBe('PUBLISHED');
  });

  test('continues after a cursor, each change once', async () => {
    await using earlier = await open({});
    const post = await publish();
    // One reader serves all streams: changes that it has sent here are before the start of later streams.
    for (let count = 1; ; count++) {
      const newest = update((await earlier.waitFor(count)).at(count - 1));
      if (newest.post.id === post.id && newest.change === 'published') break;
    }
    await using first = await open({ id: post.id });
    const { cursor } = update((await first.waitFor(1))[0]);
    const kinds = Array.from({ length: 40 }, (_, i) => `test.${i}`);
    for (const kind of kinds) await change(app.tenant.projectId, post.id, kind);
    const whole = await first.waitFor(41);
    expect(whole.slice(1).map((message) => update(message).change)).toEqual(kinds);
    await using again = await open({ id: post.id, after: cursor });
    await using half = await open({ after: update(whole[20]).cursor });
    const seen = (await again.waitFor(40)).map((message) => update(message).change);
    expect(seen).toEqual(kinds);
    const rest = (await half.waitFor(20)).map((message) => update(message).change);
    expect(rest).toEqual(kinds.slice(20));
    for (const kind of ['test.live', 'test.last']) {
      await change(app.tenant.projectId, post.id, kind);
    }
    const streams = [first, again, half];
    const isLast = (message: Message) => update(message).change === 'test.last';
    await Promise.all(streams.map((stream) => stream.until(isLast)));
    expect(streams.map(({ messages }) => messages.length)).toEqual([43, 42, 22]);
  });

  test("shows nothing of another project's posts", async () => {
    const stranger = await app.createTenant('stranger');
    await using all = await open({}, stranger.key);
    const post = await publish();
    await using one = await open({ id: post.id }, stranger.key);
    const [refused] = await one.waitFor(1);
    expect(refused.errors[0].extensions.code).toBe('not_found');
    await app.tenant.waitForPost(post.id);
    // Every change before its own has passed the stream by then.
    const { id: theirs } = await stranger.connectSandbox('eve');
    const own = await publish(stranger, theirs);
    await stranger.waitForPost(own.id);
    const messages = await all.until(isConcluded);
    expect(new Set(messages.map((message) => update(message).postId))).toEqual(new Set([own.id]));
  });

  test("refuses a cursor that didn't come from a stream", async () => {
    await using subscription = await open({ after: 'nonsense' });
    const [refused] = await subscription.waitFor(1);
    expect(refused.errors[0].extensions).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'after', code: 'invalid_cursor' }],
    });
  });

  test('returns cursor_expired for a cursor of another database, with the oldest valid one', async () => {
    const after = Buffer.from('deadbeef.7.1').toString('base64url');
    await using subscription = await open({ after });
    const [refused] = await subscription.waitFor(1);
    const { code, oldestCursor } = refused.errors[0].extensions;
    expect(code).toBe('cursor_expired');
    await using resumed = await open({ after: oldestCursor });
    await publish();
    await resumed.waitFor(1);
  });
});

describe('deliveryUpdated', () => {
  test('shows the deliveries of one webhook with their attempts', async () => {
    const inbox = await app.tenant.createWebhook(`${app.url}/sandbox/inbox/live`);
    const other = await app.tenant.createWebhook(`${app.url}/sandbox/inbox/other`);
    // The stream has no current state that would show when it begins.
    const { liveCursor: after } = await ask(app, '{ liveCursor }');
    await using subscription = subscribeOverSocket({
      url: app.url,
      key: app.tenant.key,
      query: deliveryUpdated,
      variables: { webhookId: inbox.id, after },
    });
    await publish();
    const messages = await subscription.until(
      (message) => message.data.deliveryUpdated.delivery.status === 'DELIVERED',
    );
    const updates = messages.map((message) => message.data.deliveryUpdated);
    expect(updates.every(({ deliveryId, delivery }) => deliveryId === delivery.id)).toBe(true);
    expect(new Set(updates.map(({ delivery }) => delivery.webhookId))).toEqual(new Set([inbox.id]));
    const delivered = updates.find(({ delivery }) => delivery.status === 'DELIVERED');
    expect(delivered.delivery.attempts).toEqual([{ number: 1, statusCode: 200 }]);
    await using one = subscribeOverSocket({
      url: app.url,
      key: app.tenant.key,
      query: deliveryUpdated,
      variables: { id: updates.at(-1).delivery.id },
    });
    const [present] = await one.waitFor(1);
    expect(present.data.deliveryUpdated).toMatchObject({
      change: 'present',
      delivery: { status: 'DELIVERED' },
    });
    await app.api.delete(`/v1/webhooks/${inbox.id}`);
    await app.api.delete(`/v1/webhooks/${other.id}`);
  });
});

describe('webhookUpdated', () => {
  test('shows every change of a webhook, to its deletion', async () => {
    // Nothing is sent to it, because failing deliveries would be changes too.
    const { id } = await app.tenant.createWebhook('https://example.com/hook', [
      'account.connected',
    ]);
    await using stream = subscribeOverSocket({
      url: app.url,
      key: app.tenant.key,
      query: `subscription ($id: ID) {
        webhookUpdated(id: $id) { change webhookId webhook { id name status } }
      }`,
      variables: { id },
    });
    await stream.waitFor(1);
    for (const change of [{ name: 'a' }, { active: false }, { active: true }]) {
      await app.api.patch(`/v1/webhooks/${id}`, change);
    }
    await app.api.post(`/v1/webhooks/${id}/rotate`);
    await app.api.delete(`/v1/webhooks/${id}`);
    const messages = await stream.until(
      (message) => message.data.webhookUpdated.change === 'deleted',
    );
    const updates = messages.map((message) => message.data.webhookUpdated);
    expect(updates[0]).toMatchObject({
      change: 'present',
      webhookId: id,
      webhook: { id, status: 'ACTIVE' },
    });
    expect(updates.map(({ change }) => change).filter((change) => change !== 'created')).toEqual([
      'present',
      'updated',
      'disabled',
      'enabled',
      'rotated',
      'deleted',
    ]);
    expect(updates.at(-1)).toEqual({ change: 'deleted', webhookId: id, webhook: null });
  });
});

describe('many sockets', () => {
  test('see every change of concurrent writers once, each in the same order', async () => {
    const post = await publish();
    await app.tenant.waitForPost(post.id);
    const sockets = Array.from({ length: 25 }, () =>
      subscribeOverSocket({
        url: app.url,
        key: app.tenant.key,
        query: postUpdated,
        variables: { id: post.id },
      }),
    );
    await Promise.all(sockets.map((socket) => socket.waitFor(1)));
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; i < 20; i++) {
          await app.context.db.transaction().execute(async (trx) => {
            await writeChanges(trx, [
              {
                project_id: app.tenant.projectId,
                subject: 'post',
                subject_id: post.id,
                kind: `test.${writer}.${i}`,
              },
            ]);
            if (i % 5 === 0) await elapse(30, 'younger transactions commit first');
          });
          app.context.notifier.notify('fanfare_changes');
        }
      }),
    );
    const orders = await Promise.all(
      sockets.map(async (socket) =>
        (await socket.waitFor(121)).slice(1).map((message) => update(message).change),
      ),
    );
    expect(new Set(orders[0]).size).toBe(120);
    for (const order of orders) expect(order).toEqual(orders[0]);
    await Promise.all(sockets.map((socket) => socket.close()));
  });
});
