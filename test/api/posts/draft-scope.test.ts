// A key with `posts:draft` but without `posts:write` drafts posts. No call of either API makes anything public with it.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../api/http/route.ts';
import { routes } from '../../../api/resources/routes.ts';
import { createSchema } from '../../../api/resources/schema.ts';
import { scopes } from '../../../schema/scopes.ts';
import { createApi, type Api, type ApiAnswer } from '../../support/app/api.ts';
import { useApp } from '../../support/app/app.ts';
import { fieldOf, findRefusal } from '../../support/checks/compare-apis.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { inSeconds } from '../../support/rows/posts.ts';

/** What such a key can do with a route that writes, even if it has every other scope. */
type Class = 'refused' | 'drafts only' | 'publishes nothing' | 'publishes on request';

/** Class a new route here. Before that, ask whether anything can become public, or stop being public, by it. */
const classes: Readonly<Record<string, Class>> = {
  createPost: 'drafts only',
  validatePost: 'publishes nothing',
  createPosts: 'refused',
  cancelPosts: 'refused',
  deletePosts: 'refused',
  updatePosts: 'refused',
  updatePost: 'drafts only',
  deletePost: 'refused',
  publishPost: 'refused',
  duplicatePost: 'drafts only',
  cancelPost: 'refused',
  retryResult: 'refused',
  updateResult: 'refused',
  unpublishResult: 'refused',
  markResultUnpublished: 'refused',
  createQueue: 'refused',
  updateQueue: 'refused',
  deleteQueue: 'refused',
  rescheduleQueue: 'refused',
  createReviewLink: 'refused',
  createMedia: 'publishes nothing',
  // The media may belong to a scheduled post that waits for its bytes.
  renewMediaUploadUrl: 'refused',
  deleteMedia: 'refused',
  connectAccount: 'publishes nothing',
  importAccount: 'publishes nothing',
  updateAccount: 'publishes nothing',
  disconnectAccount: 'publishes nothing',
  createAccountCheck: 'publishes on request',
  eraseUser: 'publishes nothing',
  createConnectSession: 'publishes nothing',
  setPlatformApp: 'publishes nothing',
  deletePlatformApp: 'publishes nothing',
  createWebhook: 'publishes nothing',
  updateWebhook: 'publishes nothing',
  rotateWebhook: 'publishes nothing',
  deleteWebhook: 'publishes nothing',
  testWebhook: 'publishes nothing',
  retryDelivery: 'publishes nothing',
  replayDeliveries: 'publishes nothing',
  createApiKey: 'publishes nothing',
  revokeApiKey: 'publishes nothing',
  updateProject: 'publishes nothing',
};
const writing = routes.filter(({ method }) => method !== 'get');
const inClass = (...wanted: Class[]) =>
  writing
    .filter(({ name }) => wanted.includes(classes[name]!))
    .map((route) => [route.name, route] as const);

const schema = createSchema();
const app = useApp({ roles: { api: true, worker: false } });
const allButPublishing = scopes.filter((scope) => scope !== 'posts:write');
let drafter: Api;
let account: string;
/** Posts of a key that may publish. */
const ids: Record<'draft' | 'scheduled' | 'published', string> = {
  draft: '',
  scheduled: '',
  published: '',
};
let resultId: string;

const makeKey = async (wanted: readonly string[]) =>
  createApi(
    app.url,
    (await app.api.post('/v1/api-keys', { name: 'k', scopes: wanted })).body.data.key,
  );

const content = () => ({ caption: 'hello', account_ids: [account] });
const createDraft = async () =>
  (await drafter.post('/v1/posts', { ...content(), status: 'draft' })).body.data.id as string;

/** Everything that a publication would change. */
async function readState() {
  const { db } = app.context;
  const posts = await db
    .selectFrom('posts')
    .select(['id', 'status', 'caption', 'scheduled_at', 'current_run'])
    .where((eb) => eb.or([eb('status', '!=', 'draft'), eb('id', '=', ids.draft)]))
    .orderBy('id')
    .execute();
  const outbox = await db.selectFrom('outbox').select('id').orderBy('id').execute();
  const checks = await db.selectFrom('account_checks').select(['id', 'publishes']).execute();
  const changes = await db.selectFrom('result_changes').select('id').execute();
  return { posts, outbox, checks, changes };
}

function expectRefused(answer: ApiAnswer, hint?: unknown): void {
  const error = { code: 'insufficient_scope', required_scope: 'posts:write' };
  expect(answer).toMatchObject({
    status: 403,
    body: { error: hint === undefined ? error : { ...error, hint } },
  });
}

beforeAll(async () => {
  account = (await app.tenant.connectSandbox('ada')).id;
  drafter = await makeKey(allButPublishing);
  const create = (more: object) => app.tenant.createPost({ ...content(), ...more });
  ids.draft = (await create({ status: 'draft' })).id;
  ids.scheduled = (await create({ caption: 'later', scheduled_at: inSeconds(3_600) })).id;
  const published = await create({ caption: 'public' });
  ids.published = published.id;
  resultId = published.results[0]!.id;
  const { db } = app.context;
  await db
    .updateTable('posts')
    .set({ status: 'published' })
    .where('id', '=', ids.published)
    .execute();
  await db
    .updateTable('post_results')
    .set({ status: 'published', external_id: '1' })
    .where('post_id', '=', ids.published)
    .execute();
});

describe('the list of classes', () => {
  test('has every route that writes, and no other', () => {
    expect(Object.keys(classes).toSorted()).toEqual(writing.map(({ name }) => name).toSorted());
  });

  test('has every mutation by its route', () => {
    const mutations = Object.keys(schema.getMutationType()!.getFields());
    const fields = writing.map((route) => fieldOf(route));
    expect(mutations.filter((name) => !fields.includes(`Mutation.${name}`))).toEqual([]);
  });

  test('gives the scope posts:draft only to routes that publish nothing, or only draft', () => {
    const drafting = routes.filter(({ scope }) => scope === 'posts:draft').map(({ name }) => name);
    const allowed = inClass('drafts only', 'publishes nothing').map(([name]) => name);
    expect(drafting.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test('has every route of posts:write as refused', () => {
    const publishing = routes.filter(({ scope }) => scope === 'posts:write');
    expect(publishing.map(({ name }) => classes[name])).toEqual(publishing.map(() => 'refused'));
  });
});

describe('a refused route', () => {
  const pathOf = ({ path }: Route, id: string) =>
    path.replace(/:id/, id).replace(':result_id', resultId);

  test.each(inClass('refused'))('requires posts:write: %s', async (_, route) => {
    const before = await readState();
    for (const id of Object.values(ids)) {
      expectRefused(await drafter.call(route.method.toUpperCase(), pathOf(route, id)));
    }
    expect(await readState()).toEqual(before);
  });

  test.each(inClass('refused'))('requires posts:write in GraphQL: %s', async (_, route) => {
    const caller = { scopes: allButPublishing };
    const refusal = await findRefusal(schema, fieldOf(route), caller);
    expect(refusal?.options.details?.['required_scope']).toBe('posts:write');
  });

  test('answers no repeat of a request that a key with posts:write made', async () => {
    const headers = { 'Idempotency-Key': 'of the writer' };
    const body = { ...content(), status: 'draft' };
    expect((await app.api.post('/v1/posts', body, { headers })).status).toBe(201);
    expect(await drafter.post('/v1/posts', body, { headers })).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
    });
  });
});

describe('a draft', () => {
  const keepDraft = expect.stringContaining('give `status` as "draft"');

  test('is created, read, changed, copied and validated, and has media', async () => {
    const id = await createDraft();
    const changed = await drafter.patch(`/v1/posts/${id}`, { caption: 'better' });
    expect(changed).toMatchObject({ status: 200, body: { data: { status: 'draft' } } });
    const planned = { scheduled_at: inSeconds(3_600), status: 'draft' };
    expect((await drafter.patch(`/v1/posts/${id}`, planned)).body.data.status).toBe('draft');
    expect((await drafter.patch(`/v1/posts/${id}`, { scheduled_at: null })).status).toBe(200);
    const copy = await drafter.post(`/v1/posts/${ids.published}/duplicate`);
    expect(copy).toMatchObject({ status: 201, body: { data: { status: 'draft' } } });
    expect((await drafter.post('/v1/posts/validate', content())).body.data.valid).toBe(true);
    expect(
      (await drafter.post('/v1/media', { filename: 'a.png', content_type: 'image/png' })).status,
    ).toBe(201);
    expect((await drafter.get(`/v1/posts/${id}`)).body.data.caption).toBe('better');
  });

  test('is created again with its stored answer', async () => {
    const headers = { 'Idempotency-Key': 'of the drafter' };
    const body = { ...content(), status: 'draft' };
    const first = await drafter.post('/v1/posts', body, { headers });
    const second = await drafter.post('/v1/posts', body, { headers });
    expect(second.body.data).toEqual(first.body.data);
    expect((await app.api.post('/v1/posts', body, { headers })).body.data).toEqual(first.body.data);
  });

  test.each([
    ['now', {}],
    ['at a time', { scheduled_at: inSeconds(3_600) }],
    ['at a local time', { schedule: { local: '2030-01-01T10:00', timezone: 'UTC' } }],
    ['in a queue', { queue_id: 'queue_1' }],
  ])('is all that is created: not a post that goes out %s', async (_, more) => {
    const before = await readState();
    expectRefused(await drafter.post('/v1/posts', { ...content(), ...more }), keepDraft);
    expect(await readState()).toEqual(before);
  });

  test.each([
    ['a time', { scheduled_at: inSeconds(3_600) }],
    ['a local time', { schedule: { local: '2030-01-01T10:00', timezone: 'UTC' } }],
    ['a queue', { queue_id: 'queue_1' }],
  ])('is not scheduled by a change with %s', async (_, change) => {
    const before = await readState();
    expectRefused(await drafter.patch(`/v1/posts/${ids.draft}`, change), keepDraft);
    expect(await readState()).toEqual(before);
  });

  test.each(['scheduled', 'published'] as const)(
    'is all that changes: not a %s post',
    async (kind) => {
      const before = await readState();
      for (const change of [{ caption: 'a' }, { status: 'draft' }, { scheduled_at: null }]) {
        expectRefused(
          await drafter.patch(`/v1/posts/${ids[kind]}`, change),
          expect.stringContaining('only drafts'),
        );
      }
      expect(await readState()).toEqual(before);
    },
  );
});

describe('in GraphQL', () => {
  const create = `mutation ($input: CreatePostInput!) { createPost(input: $input) { id status } }`;
  const update = `mutation ($id: ID!, $input: UpdatePostInput!) {
    updatePost(id: $id, input: $input) { status caption }
  }`;
  const input = () => ({ caption: 'hello', accountIds: [account] });

  test('a draft is created, changed, copied and validated', async () => {
    const draft = { ...input(), status: 'DRAFT' };
    const { createPost } = await ask(app, create, { input: draft }, drafter.key);
    expect(createPost.status).toBe('DRAFT');
    const { id } = createPost;
    const changed = await ask(app, update, { id, input: { caption: 'b' } }, drafter.key);
    expect(changed.updatePost).toEqual({ status: 'DRAFT', caption: 'b' });
    const copy = `mutation { duplicatePost(id: "${ids.published}") { status } }`;
    expect((await ask(app, copy, {}, drafter.key)).duplicatePost.status).toBe('DRAFT');
    const check = `query ($input: CreatePostInput!) { validatePost(input: $input) { valid } }`;
    expect((await ask(app, check, { input: input() }, drafter.key)).validatePost.valid).toBe(true);
  });

  test('nothing else is', async () => {
    const before = await readState();
    const scheduledAt = inSeconds(3_600);
    const refused = [
      [create, { input: input() }],
      [create, { input: { ...input(), scheduledAt } }],
      [update, { id: ids.draft, input: { scheduledAt } }],
      [update, { id: ids.scheduled, input: { caption: 'a' } }],
      [update, { id: ids.scheduled, input: { status: 'DRAFT' } }],
      [update, { id: ids.published, input: { caption: 'a' } }],
    ] as const;
    for (const [query, variables] of refused) {
      expect(await askRefused(app, query, variables, drafter.key)).toMatchObject({
        code: 'insufficient_scope',
        requiredScope: 'posts:write',
      });
    }
    expect(await readState()).toEqual(before);
  });
});

test.each(inClass('publishes on request'))('publishes nothing by %s', async (_, { path }) => {
  const before = await readState();
  for (const publish of [true, 'public']) {
    expectRefused(await drafter.post(path.replace(':id', account), { publish }));
  }
  const check = `mutation ($input: CreateAccountCheckInput!) {
    createAccountCheck(accountId: "${account}", input: $input) { id }
  }`;
  for (const publish of ['REMOVED', 'PUBLIC']) {
    const refusal = await askRefused(app, check, { input: { publish } }, drafter.key);
    expect(refusal).toMatchObject({ requiredScope: 'posts:write' });
  }
  expect(await readState()).toEqual(before);
});

describe('a key', () => {
  test('with posts:draft makes none with posts:write', async () => {
    expectRefused(await drafter.post('/v1/api-keys', { name: 'k', scopes: ['posts:write'] }));
  });

  test('with posts:write, but without posts:draft by name, drafts and makes keys that draft', async () => {
    const writer = await makeKey(scopes.filter((scope) => scope !== 'posts:draft'));
    expect((await writer.post('/v1/posts', { ...content(), status: 'draft' })).status).toBe(201);
    expect((await writer.post('/v1/api-keys', { name: 'k', scopes: ['posts:draft'] })).status).toBe(
      201,
    );
    expect((await writer.post('/v1/api-keys', { name: 'k' })).status).toBe(201);
  });

  test('with posts:draft alone reads nothing', async () => {
    const blind = await makeKey(['posts:draft']);
    expect(await blind.get(`/v1/posts/${ids.draft}`)).toMatchObject({
      status: 403,
      body: { error: { required_scope: 'posts:read' } },
    });
  });
});
