// Subscriptions to subjects other than posts: filters, current state, deletion.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnOfExpiry } from '../../../activities/logins/warn-of-expiry.ts';
import { changeKinds } from '../../../schema/change-kinds.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import {
  ask,
  subscribeOverSocket,
  type Message,
  type Subscription,
} from '../../support/graphql/graphql.ts';
import { uploadPicture } from '../../support/media/uploads.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { endLoginSoon } from '../../support/rows/grants.ts';
import { answerByPath, Past } from '../../support/receivers/replays.ts';
import { skipAhead } from '../../support/skip-ahead.ts';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  [app, receiver] = await Promise.all([startApp(), startReceiver()]);
  answerByPath(receiver);
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

const accountUpdated = `subscription ($id: ID, $after: String) {
  accountUpdated(id: $id, after: $after) { cursor change accountId account { id status } }
}`;
const eventRecorded = `subscription ($types: [EventType!], $test: Boolean, $after: String) {
  eventRecorded(types: $types, test: $test, after: $after) {
    cursor change eventId event { id event test postId }
  }
}`;
const replayProgress = `subscription ($id: ID, $webhookId: ID, $after: String) {
  replayProgress(id: $id, webhookId: $webhookId, after: $after) {
    cursor change replayId replay { id webhookId status matched reopened delivered }
  }
}`;
const deliveryUpdated = `subscription ($postId: ID, $status: DeliveryStatus, $id: ID, $after: String) {
  deliveryUpdated(postId: $postId, status: $status, id: $id, after: $after) {
    cursor change deliveryId delivery { id postId status }
  }
}`;
const webhookUpdated = `subscription ($id: ID, $after: String) {
  webhookUpdated(id: $id, after: $after) { cursor change webhookId webhook { id } }
}`;

/** Every change from the cursor on, or from now on where it is undefined. */
const watch = (
  query: string,
  variables: Record<string, unknown> = {},
  key = app.tenant.key,
): Subscription => subscribeOverSocket({ url: app.url, key, query, variables });

/** Ensures that a stream without a current state begins before the changes that it must send. */
async function liveCursor(key = app.tenant.key): Promise<string> {
  const stream = subscribeOverSocket({ url: app.url, key, query: '{ liveCursor }' });
  const [answer] = await stream.waitFor(1);
  await stream.close();
  return answer.data.liveCursor;
}

const shown = (messages: readonly Message[], field: string) =>
  messages.map((message) => message.data[field]);

describe('accountUpdated', () => {
  test('shows the state and the end of one account, or the changes of all accounts', async () => {
    const after = await liveCursor();
    await using all = watch(accountUpdated, { after });
    const { id } = await app.tenant.connectSandbox('ada');
    await using one = watch(accountUpdated, { id });
    await one.waitFor(1);
    const other = await app.tenant.connectSandbox('bob');
    await app.api.delete(`/v1/accounts/${id}`);
    expect(shown(await one.waitFor(2), 'accountUpdated')).toMatchObject([
      { change: 'present', accountId: id, account: { id, status: 'ACTIVE' } },
      { change: 'disconnected', accountId: id, account: { id, status: 'DISCONNECTED' } },
    ]);
    const updates = shown(await all.waitFor(3), 'accountUpdated');
    expect(updates.map(({ change, accountId }) => [change, accountId])).toEqual([
      ['connected', id],
      ['connected', other.id],
      ['disconnected', id],
    ]);
  });

  test('shows a login that ends soon, which both APIs then list', async () => {
    const { db } = app.context;
    const { id } = await app.tenant.connectSandbox('ends-soon');
    await using one = watch(accountUpdated, { id });
    await one.waitFor(1);
    const soon = new Date(Date.now() + 3_600_000);
    await endLoginSoon(db, id, soon);
    await warnOfExpiry({ ...app.context, previewEvents: false });
    const [, change] = shown(await one.waitFor(2), 'accountUpdated');
    expect(change).toMatchObject({
      change: 'expiring',
      accountId: id,
      account: { status: 'ACTIVE' },
    });
    const query = `{ accounts(status: EXPIRING) { nodes {
      id health { status issues { code message } tokenExpiresAt lastSuccessfulPostAt }
    } } }`;
    expect((await ask(app, query)).accounts.nodes).toEqual([
      {
        id,
        health: {
          status: 'WARNING',
          issues: [{ code: 'TOKEN_EXPIRING', message: expect.any(String) }],
          tokenExpiresAt: soon.toISOString(),
          lastSuccessfulPostAt: null,
        },
      },
    ]);
    const listed = await app.api.get('/v1/accounts?status=expiring');
    expect(listed.body.data).toMatchObject([{ id, status: 'active' }]);
  });

  test('requires its own scope', async () => {
    const { body } = await app.api.post('/v1/api-keys', { name: 'a', scopes: ['posts:read'] });
    await using refused = watch(accountUpdated, {}, body.data.key);
    const [answer] = await refused.waitFor(1);
    expect(answer.errors[0].extensions).toMatchObject({
      code: 'insufficient_scope',
      requiredScope: 'accounts:read',
    });
  });
});

describe('eventRecorded', () => {
  test('sends events of the chosen types, and test events only if asked', async () => {
    const tenant = await app.createTenant();
    const after = await liveCursor(tenant.key);
    const open = (variables: object) => watch(eventRecorded, { after, ...variables }, tenant.key);
    await using all = open({});
    await using published = open({ types: ['POST_PUBLISHED', 'POST_FAILED'] });
    await using tests = open({ test: true });
    const webhook = await tenant.createWebhook(`${receiver.url}/${tenant.projectId}`);
    await tenant.api.post(`/v1/webhooks/${webhook.id}/test`, { event: 'post.published' });
    const account = await tenant.connectSandbox('ada');
    const post = await tenant.createPost({ caption: 'a', account_ids: [account.id] });

    const types = ['ACCOUNT_CONNECTED', 'POST_PUBLISHED'];
    const updates = shown(await all.waitFor(2), 'eventRecorded');
    expect(updates.map(({ event }) => event.event)).toEqual(types);
    expect(shown(await published.waitFor(1), 'eventRecorded')).toMatchObject([
      { change: 'recorded', eventId: updates[1].eventId, event: { postId: post.id, test: false } },
    ]);
    expect(shown(await tests.waitFor(1), 'eventRecorded')).toMatchObject([
      { change: 'recorded', event: { event: 'POST_PUBLISHED', test: true } },
    ]);
    await using rest = watch(eventRecorded, { after: updates[0].cursor }, tenant.key);
    expect(shown(await rest.waitFor(1), 'eventRecorded')).toEqual([updates[1]]);
    expect([all, published, tests].map(({ messages }) => messages.length)).toEqual([2, 1, 1]);
  });

  test('refuses an empty list of types', async () => {
    await using refused = watch(eventRecorded, { types: [] });
    const [answer] = await refused.waitFor(1);
    expect(answer.errors[0].extensions.issues).toMatchObject([
      { path: 'types', code: 'too_small' },
    ]);
  });
});

describe('replayProgress', () => {
  test('shows the progress of a replay, beginning with the running one', async () => {
    const past = await Past.withSkipped(app, receiver, 3);
    past.reply(() => ({ status: 200, delayMs: 300 }));
    const { key } = past.tenant;
    const after = await liveCursor(key);
    await using early = watch(replayProgress, { webhookId: past.webhookId, after }, key);
    const { replay_id: id } = await past.replay();
    await using late = watch(replayProgress, { webhookId: past.webhookId }, key);
    const [first] = shown(await late.waitFor(1), 'replayProgress');
    expect(first).toMatchObject({
      change: 'present',
      replayId: id,
      replay: { status: 'RUNNING', matched: 3 },
    });
    const isLast = (message: Message) => message.data.replayProgress.change === 'completed';
    const updates = shown(await late.until(isLast, 20_000), 'replayProgress');
    expect(updates.at(-1).replay).toMatchObject({ status: 'COMPLETED', reopened: 3, delivered: 3 });
    const all = shown(await early.until(isLast, 20_000), 'replayProgress');
    expect(all[0]).toMatchObject({ change: 'created', replayId: id });
    expect(all.slice(1 - updates.length).map(({ replay }) => replay)).toEqual(
      updates.slice(1).map(({ replay }) => replay),
    );
    const delivered = updates.map(({ replay }) => replay.delivered);
    expect(delivered).toEqual(delivered.toSorted((a, b) => a - b));

    await using done = watch(replayProgress, { id }, key);
    expect(shown(await done.waitFor(1), 'replayProgress')).toMatchObject([
      { change: 'present', replayId: id, replay: { status: 'COMPLETED' } },
    ]);
    await using none = watch(
      replayProgress,
      { webhookId: past.webhookId, after: first.cursor },
      key,
    );
    const resumed = shown(await none.until(isLast), 'replayProgress');
    expect(resumed.map(({ cursor }) => cursor)).toEqual(
      updates.slice(1).map(({ cursor }) => cursor),
    );
  });
});

describe('deliveryUpdated', () => {
  test('sends the deliveries of a post, and those with the chosen status', async () => {
    const tenant = await app.createTenant();
    await tenant.createWebhook(`${receiver.url}/${tenant.projectId}`);
    const account = await tenant.connectSandbox('ada');
    const other = await tenant.createPost({ caption: 'a', account_ids: [account.id] });
    const draft = { caption: 'b', account_ids: [account.id], status: 'draft' };
    const post = await tenant.createPost(draft);
    const after = await liveCursor(tenant.key);
    await using ofPost = watch(deliveryUpdated, { postId: post.id, after }, tenant.key);
    await using delivered = watch(deliveryUpdated, { status: 'DELIVERED', after }, tenant.key);
    await tenant.waitForPost(other.id);
    await tenant.api.post(`/v1/posts/${post.id}/publish`);
    const updates = shown(
      await ofPost.until((message) => message.data.deliveryUpdated.delivery.status === 'DELIVERED'),
      'deliveryUpdated',
    );
    expect(new Set(updates.map(({ delivery }) => delivery.postId))).toEqual(new Set([post.id]));
    const { deliveryId: id } = updates[0];
    await delivered.until((message) => message.data.deliveryUpdated.deliveryId === id);
    const statuses = delivered.messages.map(({ data }) => data.deliveryUpdated.delivery.status);
    expect(new Set(statuses)).toEqual(new Set(['DELIVERED']));

    await using one = watch(deliveryUpdated, { id, postId: post.id }, tenant.key);
    const [present] = shown(await one.waitFor(1), 'deliveryUpdated');
    expect(present).toMatchObject({ change: 'present', delivery: { id, status: 'DELIVERED' } });
  });

  test('requires the scope of its post', async () => {
    const { body } = await app.api.post('/v1/api-keys', { name: 'a', scopes: ['webhooks:read'] });
    const account = await app.tenant.connectSandbox('ada');
    const draft = { caption: 'a', account_ids: [account.id], status: 'draft' };
    const { id: postId } = await app.tenant.createPost(draft);
    for (const id of [postId, 'post_never']) {
      await using refused = watch(deliveryUpdated, { postId: id }, body.data.key);
      const [answer] = await refused.waitFor(1);
      expect(answer.errors[0].extensions).toMatchObject({
        code: 'insufficient_scope',
        requiredScope: 'posts:read',
      });
    }
  });
});

describe('a stream that is resumed', () => {
  test('sends the deletion of a subject that is gone by then', async () => {
    const { id } = await app.tenant.createWebhook('https://example.com/hook');
    const first = watch(webhookUpdated, { id });
    const [present] = shown(await first.waitFor(1), 'webhookUpdated');
    await first.close();
    await app.api.delete(`/v1/webhooks/${id}`);
    await using resumed = watch(webhookUpdated, { id, after: present.cursor });
    expect(shown(await resumed.waitFor(1), 'webhookUpdated')).toMatchObject([
      { change: 'deleted', webhookId: id, webhook: null },
    ]);
  });

  test('hides a subject that is gone by then from every message', async () => {
    const after = await liveCursor();
    const query = `subscription ($after: String) {
      postUpdated(after: $after) { cursor change postId post { caption } }
    }`;
    await using live = watch(query, { after });
    const account = await app.tenant.connectSandbox('ada');
    const draft = { caption: 'secret', account_ids: [account.id], status: 'draft' };
    const { id } = await app.tenant.createPost(draft);
    await live.until((message) => message.data.postUpdated.postId === id);
    await app.api.delete(`/v1/posts/${id}`);
    skipAhead(1_000); // Messages are kept for other streams until then.
    await using resumed = watch(query, { after });
    const isEnd = ({ data }: Message) =>
      data.postUpdated.postId === id && data.postUpdated.change === 'deleted';
    const updates = shown(await resumed.until(isEnd), 'postUpdated').filter(
      (own) => own.postId === id,
    );
    expect(updates.map(({ change, post }) => [change, post])).toEqual([
      ['created', null],
      ['deleted', null],
    ]);
  });

  test('is refused if its subject never existed, or is of another project', async () => {
    const { id } = await app.tenant.createWebhook('https://example.com/hook');
    const stranger = await app.createTenant('stranger');
    const after = await liveCursor();
    for (const unknown of ['wh_never', 'wh_\0']) {
      await using refused = watch(webhookUpdated, { id: unknown, after });
      const [answer] = await refused.waitFor(1);
      expect(answer.errors[0].extensions.code).toBe('not_found');
    }
    await using refused = watch(webhookUpdated, { id, after }, stranger.key);
    const [answer] = await refused.waitFor(1);
    expect(answer.errors[0].extensions.code).toBe('not_found');
    await app.api.delete(`/v1/webhooks/${id}`);
  });
});

describe('mediaUpdated', () => {
  test('shows each step of media, up to their deletion', async () => {
    const after = await liveCursor();
    const query = `subscription ($after: String) {
      mediaUpdated(after: $after) { change mediaId media { id status } }
    }`;
    await using all = watch(query, { after });
    const id = await uploadPicture(app.api);
    await app.api.delete(`/v1/media/${id}`);
    expect(shown(await all.waitFor(3), 'mediaUpdated')).toMatchObject([
      { change: 'created', mediaId: id },
      { change: 'uploaded', mediaId: id },
      { change: 'deleted', mediaId: id },
    ]);
  });
});

test('every sent change is one that the descriptions list', async () => {
  const rows = await app.context.db
    .selectFrom('changes')
    .select(['subject', 'kind'])
    .distinct()
    .execute();
  expect(new Set(rows.map(({ subject }) => subject)).size).toBe(Object.keys(changeKinds).length);
  const known: Record<string, readonly string[]> = changeKinds;
  expect(rows.filter(({ subject, kind }) => !known[subject]!.includes(kind))).toEqual([]);
});
