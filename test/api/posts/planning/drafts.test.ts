// Drafts need neither an account nor a text. Missing parts are warnings until the draft is scheduled or published.
import { describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../../activities/platforms/index.ts';
import { createPinterest } from '../../../../activities/platforms/pinterest/index.ts';
import { createSandboxPlatform } from '../../../../activities/platforms/sandbox/index.ts';
import { createYouTube } from '../../../../activities/platforms/youtube/index.ts';
import { createBluesky } from '../../../../activities/platforms/bluesky/index.ts';
import { useRest, type TestAnswer, type TestKey } from '../../../support/app/rest.ts';
import { changesOf, eventsOf, inSeconds } from '../../../support/rows/posts.ts';
import { addImage } from '../../../support/rows/media.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { txtOf } from '../../../support/servers/bluesky-identity.ts';

const nowhere = 'https://network.invalid';
const network = {
  fetch,
  apiUrl: nowhere,
  consentUrl: nowhere,
  tokenUrl: nowhere,
  loginUrl: nowhere,
};
const rest = useRest(
  { FANFARE_PREVIEW_EVENTS: 'true' },
  {
    platforms: createPlatforms([
      createBluesky({ fetch, apiUrl: nowhere, plcUrl: nowhere, lookUpTxt: txtOf({}) }),
      createSandboxPlatform({ fetch, apiUrl: nowhere, publicUrl: nowhere }),
      createYouTube({ ...network, scopes: [] }),
      createPinterest(network),
    ]),
  },
);

const tenant = forEachTest(() => rest.createTenant());
const call = (method: string, path: string, body?: unknown, { key }: TestKey = tenant) =>
  rest.call(method, path, { key, body });
const create = (body: object, key?: TestKey) =>
  call('POST', '/v1/posts', { status: 'draft', ...body }, key);
const account = (columns = {}) => rest.insertAccount(tenant.projectId, columns);
const issuesOf = ({ body }: TestAnswer) =>
  (body.error?.issues ?? body.warnings).map(({ path, code }: { path: string; code: string }) => [
    path,
    code,
  ]);
const environmentOf = async (id: string) =>
  (
    await rest.context.db
      .selectFrom('posts')
      .select('environment')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).environment;

describe('a draft with nothing in it', () => {
  test('is created with an empty caption and no results, and warns of what is missing', async () => {
    for (const body of [{}, { caption: null }, { caption: '', account_ids: [] }]) {
      const answer = await create(body);
      expect(answer).toMatchObject({
        status: 201,
        body: {
          data: { status: 'draft', caption: '', results: [], media: [], scheduled_at: null },
          warnings: [
            {
              path: 'account_ids',
              code: 'no_targets',
              severity: 'warning',
              platform_post_index: null,
              account_id: null,
              platform: null,
            },
          ],
        },
      });
      const { data } = answer.body;
      const { body: read } = await call('GET', `/v1/posts/${data.id}`);
      expect(read.data).toEqual(data);
      expect(answer.headers.get('Location')).toBe(`/v1/posts/${data.id}`);
    }
  });

  test('is valid in a validation, and a post without status is not', async () => {
    const path = '/v1/posts/validate';
    const draft = await call('POST', path, { status: 'draft' });
    expect(draft.body.data).toMatchObject({
      valid: true,
      errors: [],
      warnings: [{ code: 'no_targets', severity: 'warning' }],
    });
    for (const body of [{}, { scheduled_at: inSeconds(3_600) }]) {
      const { data } = (await call('POST', path, body)).body;
      const errors = [{ path: 'account_ids', code: 'no_targets', severity: 'error' }];
      expect(data).toMatchObject({ valid: false, errors, warnings: [] });
    }
  });

  test('is neither published nor scheduled, but keeps a time, and is canceled and deleted', async () => {
    const { id } = (await create({ scheduled_at: inSeconds(3_600) })).body.data;
    const path = `/v1/posts/${id}`;
    const missing = [['platform_posts', 'no_targets']];
    const published = await call('POST', `${path}/publish`);
    expect([published.status, issuesOf(published)]).toEqual([422, missing]);
    const scheduled = await call('PATCH', path, { scheduled_at: inSeconds(7_200) });
    expect([scheduled.status, issuesOf(scheduled)]).toEqual([422, missing]);
    const changed = await call('PATCH', path, { metadata: { a: 'b' } });
    expect([changed.status, issuesOf(changed)]).toEqual([200, missing]);
    expect(changed.body.data).toMatchObject({ status: 'draft', results: [] });
    expect((await call('POST', `${path}/cancel`)).body.data).toMatchObject({ status: 'canceled' });
    expect((await call('DELETE', path)).status).toBe(204);
    expect(await changesOf(rest, id)).toEqual(['created', 'updated', 'canceled', 'deleted']);
    expect(await eventsOf(rest, id)).toEqual([]);
  });

  test('is created once for an idempotency key', async () => {
    const first = await create({ idempotency_key: 'empty' });
    const again = await create({ idempotency_key: 'empty' });
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again.body).toMatchObject({ data: first.body.data, warnings: first.body.warnings });
  });

  test('is created beside others in one request', async () => {
    const posts = [{ status: 'draft' }, {}];
    const { body } = await call('POST', '/v1/posts/bulk', { posts });
    expect(body.data).toMatchObject([
      { status: 201, warnings: [{ path: 'posts[0].account_ids', code: 'no_targets' }] },
      { status: 422, error: { issues: [{ path: 'posts[1].account_ids', code: 'no_targets' }] } },
    ]);
  });

  test('needs the scope', async () => {
    const reader = await rest.createTenant({
      projectId: tenant.projectId,
      scopes: ['posts:read'],
    });
    expect(await create({}, reader)).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
  });
});

describe('the environment of a draft without targets', () => {
  test("is that of the key, until it has targets, so that a test key can't see it before", async () => {
    const tester = await rest.createTenant({ projectId: tenant.projectId, environment: 'test' });
    const { id } = (await create({ caption: 'secret' })).body.data;
    expect((await call('GET', `/v1/posts/${id}`, undefined, tester)).status).toBe(404);
    expect((await call('PATCH', `/v1/posts/${id}`, { caption: 'a' }, tester)).status).toBe(404);

    const own = (await create({}, tester)).body.data;
    expect(await environmentOf(own.id)).toBe('test');
    const sandboxed = await account({ platform: 'sandbox' });
    const production = await account();
    const of = (id: string) => ({ account_ids: [id] });
    const hidden = await call('PATCH', `/v1/posts/${own.id}`, of(production), tester);
    expect(issuesOf(hidden)).toEqual([['account_ids[0]', 'unknown_account']]);
    const changed = await call('PATCH', `/v1/posts/${own.id}`, of(sandboxed), tester);
    expect(changed).toMatchObject({ status: 200, body: { data: { results: [{}] } } });

    expect((await call('PATCH', `/v1/posts/${id}`, of(production))).status).toBe(200);
    const emptied = await call('PATCH', `/v1/posts/${id}`, { account_ids: [] });
    expect(emptied.body.data.results).toEqual([]);
    expect(await environmentOf(id)).toBe('production');
  });
});

describe('a draft that gets its parts later', () => {
  test('is published once it has an account and a caption', async () => {
    const { id } = (await create({})).body.data;
    const path = `/v1/posts/${id}`;
    const withAccount = await call('PATCH', path, { account_ids: [await account()] });
    expect(issuesOf(withAccount)).toEqual([['caption', 'caption_required']]);
    const published = await call('POST', `${path}/publish`);
    expect([published.status, issuesOf(published)]).toEqual([
      422,
      [['caption', 'caption_required']],
    ]);
    const withCaption = await call('PATCH', path, { caption: 'Now complete' });
    expect(withCaption.body.warnings).toEqual([]);
    expect((await call('POST', `${path}/publish`)).status).toBe(202);
  });

  test('is scheduled in the change that completes it', async () => {
    const { id } = (await create({})).body.data;
    const change = { account_ids: [await account()], caption: 'a', scheduled_at: inSeconds(3_600) };
    const scheduled = await call('PATCH', `/v1/posts/${id}`, change);
    expect(scheduled).toMatchObject({ status: 200, body: { data: { status: 'scheduled' } } });
    const emptied = await call('PATCH', `/v1/posts/${id}`, { account_ids: [] });
    expect([emptied.status, issuesOf(emptied)]).toEqual([422, [['account_ids', 'no_targets']]]);
    const back = await call('PATCH', `/v1/posts/${id}`, { account_ids: [], status: 'draft' });
    expect(back.body.data).toMatchObject({ status: 'draft', results: [] });
  });
});

describe('parts that a network needs', () => {
  test.each<[string, object, [string, string][]]>([
    [
      'youtube',
      {},
      [
        ['platform_posts[0].platform_options.title', 'required'],
        ['platform_posts[0].platform_options.made_for_kids', 'required'],
        ['media', 'media_required'],
      ],
    ],
    [
      'pinterest',
      { title: 'Spring' },
      [
        ['platform_posts[0].platform_options.board_id', 'required'],
        ['media', 'media_required'],
      ],
    ],
  ])(
    'may be missing in a draft, which keeps the others: %s',
    async (platform, options, missing) => {
      const target = { account_id: await account({ platform }), platform_options: options };
      const answer = await create({ platform_posts: [target] });
      expect([answer.status, issuesOf(answer)]).toEqual([201, missing]);
      const { id, results } = answer.body.data;
      expect(results[0].platform_options).toEqual(options);
      const published = await call('POST', `/v1/posts/${id}/publish`);
      expect([published.status, issuesOf(published)]).toEqual([422, missing]);
    },
  );

  test('are refused if they are wrong', async () => {
    const youtube = await account({ platform: 'youtube' });
    const options = { title: '<b>', made_for_kids: 'no', unknown: 1 };
    const answer = await create({
      platform_posts: [{ account_id: youtube, platform_options: options }],
    });
    const at = (name: string) => `platform_posts[0].platform_options.${name}`;
    expect(answer.status).toBe(422);
    expect(issuesOf(answer)).toEqual(
      expect.arrayContaining([
        [at('unknown'), 'unknown_field'],
        [at('title'), 'invalid_format'],
        [at('made_for_kids'), 'invalid_type'],
      ]),
    );
    const long = await create({ caption: 'x'.repeat(301), account_ids: [await account()] });
    expect([long.status, issuesOf(long)]).toEqual([422, [['caption', 'caption_too_long']]]);
  });

  test('include the access to an account', async () => {
    const lost = await account({ status: 'reconnect_required' });
    const answer = await create({ caption: 'a', account_ids: [lost] });
    expect([answer.status, issuesOf(answer)]).toEqual([
      201,
      [['account_ids[0]', 'account_not_active']],
    ]);
    const published = await call('POST', `/v1/posts/${answer.body.data.id}/publish`);
    expect([published.status, issuesOf(published)]).toEqual([
      422,
      [['platform_posts[0].account_id', 'account_not_active']],
    ]);
    const unknown = await create({ caption: 'a', account_ids: ['sa_none'] });
    expect([unknown.status, issuesOf(unknown)]).toEqual([
      422,
      [['account_ids[0]', 'unknown_account']],
    ]);
  });

  test('include media that were deleted, which the draft keeps until it gets others', async () => {
    const mediaId = await addImage(rest.context.db, tenant.projectId);
    const post = { caption: 'a', account_ids: [await account()], media_ids: [mediaId] };
    const { id } = (await create(post)).body.data;
    await rest.context.db
      .updateTable('media')
      .set({ status: 'deleted' })
      .where('id', '=', mediaId)
      .execute();
    const path = `/v1/posts/${id}`;
    const changed = await call('PATCH', path, { caption: 'b' });
    expect([changed.status, issuesOf(changed)]).toEqual([200, [['media[0].id', 'media_deleted']]]);
    expect(changed.body.data.media).toMatchObject([{ id: mediaId }]);
    const published = await call('POST', `${path}/publish`);
    expect([published.status, issuesOf(published)]).toEqual([
      422,
      [['media[0].id', 'media_deleted']],
    ]);
    const unknown = await create({ ...post, media_ids: ['med_none'] });
    expect([unknown.status, issuesOf(unknown)]).toEqual([422, [['media_ids[0]', 'unknown_media']]]);
    expect((await call('PATCH', path, { media: [] })).body.warnings).toEqual([]);
  });
});
