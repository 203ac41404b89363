// A test key sees and changes only the test environment: sandbox accounts and what belongs to them.
import { beforeAll, describe, expect, test } from 'vitest';
import { environmentOf, type KeyEnvironment } from '../../../schema/api-keys.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { eventCatalogue } from '../../../schema/event-types.ts';
import { platformNames } from '../../../schema/platforms/index.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused, subscribeOverSocket } from '../../support/graphql/graphql.ts';
import { addAccount } from '../../support/rows/rows.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

/** Of one project. */
let production: Api;
let testing: Api;
let sandboxAccount: string;
let blueskyAccount: string;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  production = app.api;
  const made = await production.post('/v1/api-keys', { name: 'test', environment: 'test' });
  testing = createApi(app.url, made.body.data.key);
  sandboxAccount = (await app.tenant.connectSandbox('ada')).id;
  blueskyAccount = await addAccount(app.database.db, app.tenant.projectId, 'bluesky');
});

async function create(api: Api, path: string, body: unknown): Promise<string> {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body.data.id;
}

const createDraft = (api: Api, ...account_ids: string[]) =>
  create(api, '/v1/posts', { caption: 'a', account_ids, status: 'draft' });

const createWebhook = (api: Api) =>
  create(api, '/v1/webhooks', { url: 'https://127.0.0.1:9/', active: false });

async function record(environment: KeyEnvironment): Promise<string> {
  const { projectId } = app.tenant;
  const { sample: data } = eventCatalogue['post.failed'];
  const event = { projectId, environment, type: 'post.failed', data } as const;
  const { eventId } = await inQuietTransaction(app.database.db, (trx) =>
    recordEvent(trx, event, { previewEvents: false }),
  );
  return eventId!;
}

const idsOf = async (api: Api, path: string): Promise<string[]> =>
  (await api.get(path)).body.data.map(({ id }: { id: string }) => id);

const notFound = { status: 404, body: { error: { code: 'not_found' } } };
const forbidden = { status: 403, body: { error: { code: 'insufficient_scope' } } };
const nodeQuery = 'query ($id: ID!) { node(id: $id) { id } }';

describe('an account', () => {
  test.each(platformNames)('has the environment of its network: %s', async (platform) => {
    const id = await addAccount(app.database.db, app.tenant.projectId, platform);
    const { environment } = await app.database.db
      .selectFrom('social_accounts')
      .select('environment')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(environment).toBe(environmentOf(platform));
  });

  test('can be neither connected nor posted to by a test key if its network is real', async () => {
    const body = { caption: 'a', account_ids: [sandboxAccount, blueskyAccount], status: 'draft' };
    const refused = await testing.post('/v1/posts', body);
    expect(refused.body.error.issues).toMatchObject([
      { path: 'account_ids[1]', code: 'unknown_account' },
    ]);
    const credentials = { identifier: 'a', app_password: 'b' };
    const connect = { platform: 'bluesky', credentials };
    expect(await testing.post('/v1/accounts/connect', connect)).toMatchObject(forbidden);
  });
});

describe('a post', () => {
  test('is visible to a test key while all its targets are sandbox accounts', async () => {
    const id = await createDraft(production, sandboxAccount);
    expect((await testing.patch(`/v1/posts/${id}`, { caption: 'b' })).status).toBe(200);
    const both = { account_ids: [sandboxAccount, blueskyAccount] };
    expect((await production.patch(`/v1/posts/${id}`, both)).status).toBe(200);
    expect(await testing.get(`/v1/posts/${id}`)).toMatchObject(notFound);
    expect(await testing.patch(`/v1/posts/${id}`, { caption: 'c' })).toMatchObject(notFound);
    expect(await testing.delete(`/v1/posts/${id}`)).toMatchObject(notFound);
    expect(await ask(app, nodeQuery, { id }, testing.key)).toEqual({ node: null });
    const { body } = await production.get(`/v1/posts/${id}`);
    const { id: resultId } = body.data.results[0];
    expect(await ask(app, nodeQuery, { id: resultId }, testing.key)).toEqual({ node: null });
    expect(await testing.get(`/v1/posts/${id}/results/${resultId}/attempts`)).toMatchObject(
      notFound,
    );
    const back = { account_ids: [sandboxAccount] };
    expect((await production.patch(`/v1/posts/${id}`, back)).status).toBe(200);
    expect((await testing.get(`/v1/posts/${id}`)).status).toBe(200);
  });

  test('leaves no hole in a page if the key may not see it', async () => {
    const mine: string[] = [];
    for (let i = 0; i < 3; i++) {
      mine.unshift(await createDraft(testing, sandboxAccount));
      await createDraft(production, blueskyAccount);
    }
    const first = await testing.get('/v1/posts?limit=2&status=draft');
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(mine.slice(0, 2));
    const next = `/v1/posts?limit=1&status=draft&cursor=${first.body.meta.next_cursor}`;
    expect(await idsOf(testing, next)).toEqual(mine.slice(2));
    const query = 'query { posts(first: 3) { nodes { id } } }';
    const { posts } = await ask(app, query, {}, testing.key);
    expect(posts.nodes.map(({ id }: { id: string }) => id)).toEqual(mine);
  });

  test('is visible to a production key in either environment', async () => {
    const id = await createDraft(testing, sandboxAccount);
    expect((await production.get(`/v1/posts/${id}`)).status).toBe(200);
  });
});

describe('events', () => {
  test('are listed, read and delivered to a test webhook only if they are of sandbox accounts', async () => {
    const [theirs, mine] = [await createWebhook(production), await createWebhook(testing)];
    const [hidden, shown] = [await record('production'), await record('test')];
    const deliveries = async (api: Api, webhookId: string) =>
      (await api.get(`/v1/webhooks/${webhookId}/deliveries`)).body.data.map(
        ({ event_id }: { event_id: string }) => event_id,
      );
    expect(await deliveries(production, theirs)).toEqual([shown, hidden]);
    expect(await deliveries(testing, mine)).toEqual([shown]);
    expect(await testing.get(`/v1/webhooks/${theirs}/deliveries`)).toMatchObject(notFound);

    const listed = await idsOf(testing, '/v1/events');
    expect(listed).toContain(shown);
    expect(listed).not.toContain(hidden);
    expect(await testing.get(`/v1/events/${hidden}`)).toMatchObject(notFound);

    const links = `query ($id: ID!) { event(id: $id) { deliveries { nodes { webhookId id } } } }`;
    const seen = async (api: Api) =>
      (await ask(app, links, { id: shown }, api.key)).event.deliveries.nodes;
    expect(await seen(testing)).toMatchObject([{ webhookId: mine }]);
    const all = await seen(production);
    expect(all).toHaveLength(2);
    const other = all.find(({ webhookId }: { webhookId: string }) => webhookId === theirs);
    expect(await testing.post(`/v1/deliveries/${other.id}/retry`)).toMatchObject(notFound);
  });

  test('of production accounts do not count as missing for a test webhook', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const [hidden, shown] = [await record('production'), await record('test')];
    const id = await create(testing, '/v1/webhooks', {
      url: 'https://127.0.0.1:9/',
      events: ['post.failed'],
    });
    const recorded = (await idsOf(testing, '/v1/events?event=post.failed')).length;
    expect(await idsOf(production, '/v1/events')).toContain(hidden);
    expect(await idsOf(testing, '/v1/events')).toContain(shown);
    const replay = await testing.post(`/v1/webhooks/${id}/replay`, { since, status: ['missing'] });
    expect(replay.body.data.matched).toBe(recorded);
  });

  test('have the environment of the webhook that they test', async () => {
    const id = await createWebhook(testing);
    const tested = await testing.post(`/v1/webhooks/${id}/test`, {});
    expect(await idsOf(testing, '/v1/events?test=true')).toContain(tested.body.data.event_id);
    const theirs = await createWebhook(production);
    const other = await production.post(`/v1/webhooks/${theirs}/test`, {});
    expect(await testing.get(`/v1/events/${other.body.data.event_id}`)).toMatchObject(notFound);
  });
});

describe('resources that a key creates', () => {
  test('have the environment of the key, and a production key sees them', async () => {
    const id = await createWebhook(testing);
    expect((await production.get(`/v1/webhooks/${id}`)).body.data.environment).toBe('test');
    const session = await testing.post('/v1/connect/sessions', {
      platform: 'sandbox',
      external_user_id: 'u',
    });
    expect(session.body.data.environment).toBe('test');
    const path = `/v1/connect/sessions/${session.body.data.id}`;
    expect((await production.get(path)).status).toBe(200);
  });

  test('a test key cannot create, find or revoke a production key', async () => {
    expect(await testing.post('/v1/api-keys', { name: 'k' })).toMatchObject(forbidden);
    const { keyId } = app.tenant.caller;
    expect(await idsOf(testing, '/v1/api-keys')).not.toContain(keyId);
    expect(await testing.delete(`/v1/api-keys/${keyId}`)).toMatchObject(notFound);
    expect((await production.get(`/v1/api-keys/${keyId}`)).body.data.revoked_at).toBeNull();
  });
});

describe('a mutation that is repeated', () => {
  test('shows its secret to its own API key only', async () => {
    const made = await production.post('/v1/api-keys', { name: 'second' });
    const mutation = `mutation { createWebhook(
      idempotencyKey: "repeated", input: { url: "https://127.0.0.1:9/" }) { secret } }`;
    const first = await ask(app, mutation);
    expect(await ask(app, mutation)).toEqual(first);
    const refused = await askRefused(app, mutation, {}, made.body.data.key);
    expect(refused).toMatchObject({ code: 'idempotency_conflict', hint: expect.any(String) });
  });
});

describe('the project', () => {
  test('is neither read nor changed with a test key', async () => {
    expect(await testing.get('/v1/project')).toMatchObject(forbidden);
    expect(await testing.patch('/v1/project', { name: 'taken' })).toMatchObject(forbidden);
    const places = [
      '{ project { name } }',
      'mutation { updateProject(input: { name: "taken" }) { name } }',
      `{ node(id: "${app.tenant.projectId}") { id } }`,
    ];
    for (const place of places) {
      const refused = await askRefused(app, place, {}, testing.key);
      expect(refused.code, place).toBe('insufficient_scope');
    }
    expect((await production.get('/v1/project')).body.data.name).not.toBe('taken');
  });
});

describe("a connect session's URL", () => {
  test('is in the answer that creates the session, and in no other answer', async () => {
    const body = { platform: 'sandbox', external_user_id: 'u' };
    const made = await production.post('/v1/connect/sessions', body);
    const { id, url } = made.body.data;
    expect(url).toContain(id);
    const read = await production.get(`/v1/connect/sessions/${id}`);
    expect(read.body.data).toEqual({ ...made.body.data, url: null });
    const query = 'query ($id: ID!) { connectSession(id: $id) { url } }';
    expect(await ask(app, query, { id })).toEqual({ connectSession: { url: null } });
    const node = 'query ($id: ID!) { node(id: $id) { ... on ConnectSession { url } } }';
    expect(await ask(app, node, { id })).toEqual({ node: { url: null } });
    const mutation = `mutation { createConnectSession(
      input: { platform: SANDBOX, externalUserId: "u" }) { id url } }`;
    const { createConnectSession } = await ask(app, mutation);
    expect(createConnectSession.url).toContain(createConnectSession.id);
  });
});

describe('a live stream', () => {
  const streams = [
    'postUpdated',
    'accountUpdated',
    'webhookUpdated',
    'eventRecorded',
    'deliveryUpdated',
    'replayProgress',
  ];

  /** Something of every subject, changed and where that can be, deleted; returns the ids. */
  async function makeChanges(api: Api, accountId: string, environment: KeyEnvironment) {
    const ids = new Map<string, string>();
    const postId = await createDraft(api, accountId);
    ids.set('postUpdated', postId);
    const hook = { url: 'https://127.0.0.1:9/', events: ['post.failed'] };
    const webhookId = await create(api, '/v1/webhooks', hook);
    ids.set('webhookUpdated', webhookId);
    ids.set('eventRecorded', await record(environment));
    const path = `/v1/webhooks/${webhookId}`;
    ids.set('deliveryUpdated', (await idsOf(api, `${path}/deliveries`))[0]!);
    const replay = await api.post(`${path}/replay`, {
      since: new Date(Date.now() - 60_000).toISOString(),
    });
    ids.set('replayProgress', replay.body.data.replay_id);
    ids.set('accountUpdated', accountId);
    await api.delete(`/v1/accounts/${accountId}`);
    await api.delete(`/v1/posts/${postId}`);
    await api.delete(path);
    return ids;
  }

  test.each(streams)('shows a test key only its environment: %s', async (name) => {
    const { liveCursor: after } = await ask(app, '{ liveCursor }');
    const handle = `live-${name.toLowerCase()}`;
    const hidden = await makeChanges(
      production,
      await addAccount(app.database.db, app.tenant.projectId, 'bluesky'),
      'production',
    );
    const { id: account } = await app.tenant.connectSandbox(handle);
    const shown = await makeChanges(testing, account, 'test');
    const subject = name.replace(/Updated|Recorded|Progress/, '');
    const query = `subscription ($after: String) {
      ${name}(after: $after) { id: ${subject}Id change } }`;
    const watch = (key: string) =>
      subscribeOverSocket({ url: app.url, key, query, variables: { after } });
    const idOf = (message: { data: Record<string, { id: string }> }) => message.data[name]!.id;

    await using ofProduction = watch(production.key);
    const wanted = shown.get(name)!;
    const all = await ofProduction.until((message) => idOf(message) === wanted);
    expect(all.map(idOf)).toContain(hidden.get(name));

    await using ofTest = watch(testing.key);
    const isLast = (message: { data: Record<string, { id: string; change: string }> }) =>
      idOf(message) === wanted &&
      (!/post|webhook/.test(name) || message.data[name]!.change === 'deleted');
    const mine = await ofTest.until(isLast);
    expect(mine.map(idOf)).not.toContain(hidden.get(name));
    expect(new Set(mine.map(idOf))).toContain(wanted);
  });

  test('can be resumed for a deleted post by a key that could see it', async () => {
    const { liveCursor: after } = await ask(app, '{ liveCursor }');
    const remove = async (accountId: string) => {
      const id = await createDraft(production, accountId);
      await production.delete(`/v1/posts/${id}`);
      return id;
    };
    const [hidden, shown] = [await remove(blueskyAccount), await remove(sandboxAccount)];
    const query = `subscription ($id: ID, $after: String) {
      postUpdated(id: $id, after: $after) { postId change } }`;
    const resume = (id: string, key: string) =>
      subscribeOverSocket({ url: app.url, key, query, variables: { id, after } });
    await using refused = resume(hidden, testing.key);
    const [message] = await refused.waitFor(1);
    expect(JSON.stringify(message)).toContain('not_found');
    await using resumed = resume(shown, testing.key);
    const [deletion] = await resumed.waitFor(1);
    expect(deletion.data.postUpdated).toEqual({ postId: shown, change: 'deleted' });
  });
});
