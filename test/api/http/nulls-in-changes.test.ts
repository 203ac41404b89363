// Null in a change: it leaves out lists and maps, clears what can be cleared, and is refused elsewhere.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });
let account: string;
beforeAll(async () => {
  account = (await app.tenant.connectSandbox('ada')).id;
});

const noLists = { account_ids: null, platform_posts: null, media: null, media_ids: null };
const noTargets = { accountIds: null, platformPosts: null, media: null, mediaIds: null };

const createDraft = () =>
  app.tenant.createPost({
    caption: 'a',
    platform_posts: [{ account_id: account, caption: 'own', platform_options: { delay_ms: 1 } }],
    media_urls: ['https://example.com/a.png'],
    metadata: { campaign: 'spring' },
    status: 'draft',
  });

describe('a null list or map', () => {
  test('leaves the targets, media and metadata of a post as they are', async () => {
    const draft = await createDraft();
    const changes = { caption: 'b', ...noLists, media_urls: null, metadata: null };
    const { status, body } = await app.api.patch(`/v1/posts/${draft.id}`, changes);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toMatchObject({
      caption: 'b',
      media_urls: draft.media_urls,
      metadata: draft.metadata,
      results: [{ id: draft.results[0]!.id, caption: 'own' }],
    });
  });

  test('leaves the same members as they are in GraphQL', async () => {
    const draft = await createDraft();
    const input = { caption: 'b', ...noTargets, mediaUrls: null, metadata: null };
    const { updatePost } = await ask(
      app,
      `mutation ($id: ID!, $input: UpdatePostInput!) {
        updatePost(id: $id, input: $input) { caption mediaUrls metadata results { id caption } }
      }`,
      { id: draft.id, input },
    );
    expect(updatePost).toEqual({
      caption: 'b',
      mediaUrls: draft.media_urls,
      metadata: draft.metadata,
      results: [{ id: draft.results[0]!.id, caption: 'own' }],
    });
  });

  test('counts as left out of a new target, as in creation', async () => {
    const draft = await createDraft();
    const target = { account_id: account, caption: null, media: null, platform_options: null };
    const { status, body } = await app.api.patch(`/v1/posts/${draft.id}`, {
      platform_posts: [target],
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.results).toMatchObject([{ caption: 'a', platform_options: {} }]);
  });

  test('leaves the events of a webhook as they are in both APIs', async () => {
    const events = ['post.published' as const];
    const { id } = await app.tenant.createWebhook('http://127.0.0.1:9', events);
    const { body } = await app.api.patch(`/v1/webhooks/${id}`, { name: 'mine', events: null });
    expect(body.data).toMatchObject({ name: 'mine', events });
    const { updateWebhook } = await ask(
      app,
      `mutation ($id: ID!) {
        updateWebhook(id: $id, input: { name: "yours", events: null }) { name events }
      }`,
      { id },
    );
    expect(updateWebhook).toEqual({ name: 'yours', events: ['POST_PUBLISHED'] });
  });

  test('leaves the return origins of the project as they are in both APIs', async () => {
    const return_origins = ['https://app.example.com'];
    await app.api.patch('/v1/project', { return_origins });
    const { body } = await app.api.patch('/v1/project', { name: 'Acme', return_origins: null });
    expect(body.data).toMatchObject({ name: 'Acme', return_origins });
    const { updateProject } = await ask(
      app,
      'mutation { updateProject(input: { name: "Ada", returnOrigins: null }) { name returnOrigins } }',
    );
    expect(updateProject).toEqual({ name: 'Ada', returnOrigins: return_origins });
  });

  test('is no change on its own', async () => {
    const { status, body } = await app.api.patch('/v1/project', { return_origins: null });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ code: 'nothing_to_change' }]);
    const refused = await askRefused(
      app,
      'mutation { updateProject(input: { returnOrigins: null }) { name } }',
    );
    expect(refused).toMatchObject({ issues: [{ code: 'nothing_to_change' }] });
  });
});

describe('another null', () => {
  test('clears what the reference says it clears', async () => {
    await app.api.patch('/v1/project', { brand_color: '#ff8800' });
    const { body } = await app.api.patch('/v1/project', { brand_color: null });
    expect(body.data.brand_color).toBeNull();
  });

  test('is refused if it can clear nothing', async () => {
    const { status, body } = await app.api.patch('/v1/project', { name: null });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path: 'name', code: 'invalid_type' }]);
  });
});

test('the OpenAPI document lets optional lists and maps of a request be null, but not required lists and maps', async () => {
  const { body } = await app.api.get('/v1/openapi.json');
  const { schemas } = body.components;
  const typeOf = (name: string, member: string) => schemas[name].properties[member].type;
  const nullableList = ['array', 'null'];
  expect(typeOf('CreatePost', 'account_ids')).toEqual(nullableList);
  expect(typeOf('CreatePost', 'metadata')).toEqual(['object', 'null']);
  expect(typeOf('PlatformPost', 'platform_options')).toEqual(['object', 'null']);
  expect(typeOf('UpdateWebhook', 'events')).toEqual(nullableList);
  expect(typeOf('UpdateProject', 'return_origins')).toEqual(nullableList);
  expect(typeOf('ConnectAccount', 'credentials')).toBe('object');
  expect(typeOf('CreatePosts', 'posts')).toBe('array');
  expect(typeOf('Project', 'return_origins')).toBe('array');
});
