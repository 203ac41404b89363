// Nothing publishes to TikTok without a privacy level and a consent of that very post.
import { beforeAll, describe, expect, test } from 'vitest';
import { forFile } from '../../support/fixtures.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { startTikTokApp } from '../../support/networks/tiktok/app.ts';
import { consentOfTest as consent } from '../../support/networks/tiktok/subject.ts';

const tiktok = forFile(() => startTikTokApp({ roles: { api: true, worker: false } }));
const chosen = { privacy_level: 'SELF_ONLY', consent };
const both = ['privacy_level', 'consent'];

let mediaId: string;
beforeAll(async () => {
  mediaId = await tiktok.uploadVideo();
});

const api = () => tiktok.app.api;
const postWith = (platform_options: object | undefined, change: object = {}) => ({
  caption: 'Rehearsal',
  media_ids: [mediaId],
  platform_posts: [{ account_id: tiktok.accountId, ...(platform_options && { platform_options }) }],
  ...change,
});
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const missing = (names: string[], at = '') =>
  names.map((name) => ({
    path: `${at}platform_posts[0].platform_options.${name}`,
    code: 'required',
  }));

async function createDraft(platform_options?: object): Promise<string> {
  const answer = await api().post('/v1/posts', postWith(platform_options, { status: 'draft' }));
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}

const readPost = async (id: string) => (await api().get(`/v1/posts/${id}`)).body.data;

describe('without a privacy level and a consent', () => {
  test.each<[string, object | undefined, string[]]>([
    ['no options', undefined, both],
    ['only a privacy level', { privacy_level: 'SELF_ONLY' }, ['consent']],
    ['only a consent', { consent }, ['privacy_level']],
    ['nulls', { privacy_level: null, consent: null }, both],
  ])('a post is refused now, later and in the validation: %s', async (_, options, names) => {
    for (const change of [{}, { scheduled_at: inAnHour() }]) {
      const now = await api().post('/v1/posts', postWith(options, change));
      expect([now.status, now.body.error?.issues]).toMatchObject([422, missing(names)]);
    }
    const { body } = await api().post('/v1/posts/validate', postWith(options));
    expect(body.data).toMatchObject({ valid: false, errors: missing(names) });
  });

  test('a post of account IDs is refused, since it has no options', async () => {
    const { platform_posts: _, ...content } = postWith(undefined);
    const post = { ...content, account_ids: [tiktok.accountId] };
    const answer = await api().post('/v1/posts', post);
    const issues = both.map((name) => ({ path: `platform_options.${name}`, code: 'required' }));
    expect([answer.status, answer.body.error.issues]).toMatchObject([422, issues]);
  });

  test('each post of a bulk is refused alone, even beside one that has both', async () => {
    const posts = [postWith(undefined), postWith(chosen, { scheduled_at: inAnHour() })];
    const { body } = await api().post('/v1/posts/bulk', { posts });
    expect(body.data.map(({ status }: { status: number }) => status)).toEqual([422, 201]);
    expect(body.data[0].error.issues).toMatchObject(missing(both, 'posts[0].'));
  });

  test('a row of a spreadsheet is refused, since it has no options', async () => {
    const header = 'caption,account_ids,media_ids,status,scheduled_at';
    const rowOf = (status: string, at: string) =>
      `Rehearsal,${tiktok.accountId},${mediaId},${status},${at}`;
    const csv = [header, rowOf('', ''), rowOf('', inAnHour()), rowOf('draft', '')].join('\n');
    const headers = { 'content-type': 'text/csv' };
    for (const query of ['?dry_run=true', '']) {
      const { body } = await api().call('POST', `/v1/posts/bulk${query}`, csv, { headers });
      const required = {
        status: 422,
        error: { issues: [{ code: 'required' }, { code: 'required' }] },
      };
      expect(body.data).toMatchObject([required, required, { status: 201 }]);
    }
  });

  test('a draft is kept, but neither published nor scheduled', async () => {
    const id = await createDraft();
    const published = await api().post(`/v1/posts/${id}/publish`);
    expect([published.status, published.body.error.issues]).toMatchObject([422, missing(both)]);
    const scheduled = await api().patch(`/v1/posts/${id}`, { scheduled_at: inAnHour() });
    expect([scheduled.status, scheduled.body.error.issues]).toMatchObject([422, missing(both)]);
    expect(await readPost(id)).toMatchObject({
      status: 'draft',
      results: [{ platform_options: {}, attempts: 0 }],
    });
  });

  test('a scheduled post keeps what it has: a change that drops it is refused', async () => {
    const post = postWith(chosen, { scheduled_at: inAnHour() });
    const { id } = (await api().post('/v1/posts', post)).body.data;
    const { platform_posts } = postWith({ privacy_level: 'SELF_ONLY' });
    const refused = await api().patch(`/v1/posts/${id}`, { platform_posts });
    expect([refused.status, refused.body.error.issues]).toMatchObject([422, missing(['consent'])]);
    expect((await readPost(id)).results[0].platform_options).toEqual(chosen);
    const draft = await api().patch(`/v1/posts/${id}`, { status: 'draft', platform_posts });
    expect(draft.status, draft.text).toBe(200);
    const back = await api().patch(`/v1/posts/${id}`, { scheduled_at: inAnHour() });
    expect([back.status, back.body.error.issues]).toMatchObject([422, missing(['consent'])]);
  });

  test('a change of several posts gives none of them the choice of another', async () => {
    const ids = [await createDraft(), await createDraft()];
    const scheduled_at = inAnHour();
    const [one, other] = [{ scheduled_at, ...postWith(chosen) }, { scheduled_at }];
    const posts = [one, other].map((change, i) => ({
      id: ids[i],
      ...change,
      media_ids: undefined,
    }));
    const { body } = await api().post('/v1/posts/bulk/update', { posts });
    expect(body.data.map(({ status }: { status: number }) => status)).toEqual([200, 422]);
    expect(body.data[1].error.issues).toMatchObject(missing(both, 'posts[1].'));
    expect(await readPost(ids[1]!)).toMatchObject({
      status: 'draft',
      results: [{ platform_options: {} }],
    });
  });

  test('a queue gives no slot, neither to a new post nor to a draft', async () => {
    const slots = [{ weekday: 'mon', time: '09:00' }];
    const account_ids = [tiktok.accountId];
    const queue = { name: 'Mornings', timezone: 'UTC', account_ids, slots };
    const { id: queue_id } = (await api().post('/v1/queues', queue)).body.data;
    const named = await api().post('/v1/posts', postWith(undefined, { queue_id }));
    expect([named.status, named.body.error.issues]).toMatchObject([422, missing(both)]);
    const { platform_posts: _, ...content } = postWith(undefined, { queue_id });
    const unnamed = await api().post('/v1/posts', content);
    expect(unnamed.status).toBe(422);
    const id = await createDraft();
    const draft = await api().patch(`/v1/posts/${id}`, { queue_id });
    expect([draft.status, draft.body.error.issues]).toMatchObject([422, missing(both)]);
    const drafts = await api().post('/v1/posts/bulk/update', { posts: [{ id, queue_id }] });
    expect(drafts.body.data).toMatchObject([
      { status: 422, error: { issues: missing(both, 'posts[0].') } },
    ]);
    const taken = await api().get(`/v1/queues/${queue_id}/slots`);
    expect(taken.body.data).toMatchObject([{ post_id: null }]);
  });

  test('GraphQL, which agents use too, refuses the same', async () => {
    const post = { mediaIds: [mediaId], accountIds: [tiktok.accountId] };
    const create = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }';
    const refused = await askRefused(tiktok.app, create, { input: post });
    expect(refused).toMatchObject({ code: 'validation_error' });
    const draft = await ask(tiktok.app, create, { input: { ...post, status: 'DRAFT' } });
    const publish = 'mutation ($id: ID!) { publishPost(id: $id) { id } }';
    const { id } = draft.createPost;
    expect(await askRefused(tiktok.app, publish, { id })).toMatchObject({
      code: 'validation_error',
    });
  });

  test.each(both)('an account takes no default %s', async (name) => {
    const options = { [name]: chosen[name as keyof typeof chosen] };
    const answer = await api().patch(`/v1/accounts/${tiktok.accountId}`, {
      defaults: { platform_options: options },
    });
    expect([answer.status, answer.body.error.issues]).toMatchObject([
      422,
      [{ path: `defaults.platform_options.${name}`, code: 'no_default' }],
    ]);
  });

  test('the other defaults of an account add neither', async () => {
    const path = `/v1/accounts/${tiktok.accountId}`;
    const defaults = { platform_options: { allow_comment: true } };
    expect((await api().patch(path, { defaults })).status).toBe(200);
    const answer = await api().post('/v1/posts', postWith(undefined));
    expect([answer.status, answer.body.error.issues]).toMatchObject([422, missing(both)]);
    expect((await api().patch(path, { defaults: { platform_options: {} } })).status).toBe(200);
  });
});

describe('a draft', () => {
  test('is still refused for what is wrong in it', async () => {
    const wrong = { privacy_level: 'FRIENDS', allow_duet: 'yes' };
    const answer = await api().post('/v1/posts', postWith(wrong, { status: 'draft' }));
    expect(answer.body.error.issues).toMatchObject([
      { path: 'platform_posts[0].platform_options.privacy_level', code: 'invalid_value' },
      { path: 'platform_posts[0].platform_options.allow_duet', code: 'invalid_type' },
    ]);
  });

  test('of a target for the inbox needs neither', async () => {
    const id = await createDraft({ mode: 'inbox' });
    expect((await api().post(`/v1/posts/${id}/publish`)).status).toBe(202);
  });
});

describe('a copy of a post', () => {
  test('has neither its privacy level nor its consent, and keeps its other options', async () => {
    const options = { ...chosen, promotes_own_brand: true };
    const post = postWith(options, { scheduled_at: inAnHour() });
    const { id } = (await api().post('/v1/posts', post)).body.data;
    const { status, body } = await api().post(`/v1/posts/${id}/duplicate`);
    expect(status).toBe(201);
    expect(body.data.results[0].platform_options).toEqual({ promotes_own_brand: true });
    expect(body.warnings).toMatchObject(missing(both));
    const published = await api().post(`/v1/posts/${body.data.id}/publish`);
    expect([published.status, published.body.error.issues]).toMatchObject([422, missing(both)]);

    const copy = `mutation ($id: ID!) {
      duplicatePost(id: $id) {
        status warnings { path code }
        results { platformOptions { ... on TikTokOptions { privacyLevel promotesOwnBrand } } }
      }
    }`;
    expect((await ask(tiktok.app, copy, { id })).duplicatePost).toEqual({
      status: 'DRAFT',
      warnings: ['privacyLevel', 'consent'].map((name) => ({
        path: `platformPosts[0].platformOptions.${name}`,
        code: 'required',
      })),
      results: [{ platformOptions: { privacyLevel: null, promotesOwnBrand: true } }],
    });
  });
});
