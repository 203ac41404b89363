// The media of posts: their three forms, what is refused, what is stored, and what the engine is asked for.
import { beforeEach, describe, expect, test } from 'vitest';
import { failScheduledTargets } from '../../../schema/database/posts/fail-scheduled.ts';
import { findMedia } from '../../../schema/database/media/rows.ts';
import { idAt } from '../../../schema/wire/ids.ts';
import { useRest, type TestAnswer } from '../../support/app/rest.ts';
import { addImage, videoRow } from '../../support/rows/media.ts';
import {
  conclude,
  createStarted,
  failTarget,
  inSeconds,
  useAuthor,
} from '../../support/rows/posts.ts';
import { countWaiting } from '../../support/rows/waiting.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const rest = useRest();
const author = useAuthor(rest);

const media = (change = {}) => addImage(rest.context.db, author.projectId, change);
const url = 'https://media.test/a.jpg';

/** At the sandbox, which takes every kind. */
let accounts: [string, string, string];
beforeEach(async () => {
  const insert = () => rest.insertAccount(author.projectId, { platform: 'sandbox' });
  accounts = [await insert(), await insert(), await insert()];
});

const create = (post: Record<string, unknown>) => {
  const targets = 'platform_posts' in post ? {} : { account_ids: accounts.slice(0, 2) };
  return author.create({ ...targets, ...post });
};

async function issuesOf(body: object) {
  const request = { caption: 'a', account_ids: [accounts[0]], ...body };
  const answer = await rest.call('POST', '/v1/posts', { key: author.key, body: request });
  expect(answer.status).toBe(422);
  return answer.body.error.issues.map((issue: { path: string; code: string }) => [
    issue.path,
    issue.code,
  ]);
}

const statusOf = async (id: string) => {
  const { db } = rest.context;
  const row = await db
    .selectFrom('media')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.status;
};

describe('the forms of media', () => {
  test('media, media_ids and media_urls name the same media', async () => {
    const id = await media();
    const item = { id, url: null, alt_text: null, thumbnail_id: null, thumbnail_at_ms: null };
    expect((await create({ media_ids: [id] })).media).toEqual([item]);
    expect((await create({ media: [{ id }] })).media).toEqual([item]);
    const fetched = await create({ media_urls: [url] });
    expect(fetched).toMatchObject({ media: [{ url }], media_urls: [url] });
  });

  test('a target replaces the media of the post, or has none', async () => {
    const [a, b] = [await media(), await media(videoRow)];
    const thumbnail = await media();
    const [ada, bob, eve] = accounts;
    const own = [{ id: b, alt_text: 'a cat', thumbnail_id: thumbnail, thumbnail_at_ms: 1_500 }];
    const post = await create({
      media_ids: [a],
      platform_posts: [
        { account_id: ada },
        { account_id: bob, media: own },
        { account_id: eve, media: [] },
      ],
    });
    expect(post.results.map((result) => result.media.map(({ id }) => id))).toEqual([[a], [b], []]);
    expect(post.results[1]!.media).toMatchObject(own);
    for (const id of [a, b, thumbnail]) expect(await statusOf(id)).toBe('attached');
  });

  test('a post with media needs no caption', async () => {
    const post = await create({ caption: '', media_ids: [await media()] });
    expect(post.status).toBe('pending');
  });

  test('an empty form counts as left out beside a form with media', async () => {
    const [ada, bob, eve] = accounts;
    const none = { media: [], media_ids: [], media_urls: [] };
    const id = await media();
    const post = await create({
      ...none,
      media_ids: [id],
      platform_posts: [
        { account_id: ada, ...none },
        { account_id: bob, media: [], media_ids: [] },
        { account_id: eve, media_ids: [] },
      ],
    });
    expect(post.results.map((result) => result.media.map((each) => each.id))).toEqual([
      [id],
      [id],
      [],
    ]);
    const draft = await create({ ...none, media_ids: [id], status: 'draft' });
    const { body } = await author.change(draft.id, { caption: 'new', ...none });
    expect(body.data.media).toMatchObject([{ id }]);
    expect((await create({ caption: 'a', ...none })).media).toEqual([]);
  });

  test('two forms, an item with both or neither, and unusable media are refused', async () => {
    const id = await media();
    expect(await issuesOf({ media_ids: [id], media_urls: [url] })).toEqual([
      ['media_ids', 'several_media_forms'],
    ]);
    expect(await issuesOf({ media: [{ id, url }, {}] })).toEqual([
      ['media[0]', 'id_or_url'],
      ['media[1]', 'id_or_url'],
    ]);
    expect(await issuesOf({ media: [{ url: 'a.jpg' }] })).toEqual([
      ['media[0].url', 'invalid_url'],
    ]);
    const unusable = [
      await media({ status: 'pending' }),
      await media({
        status: 'failed',
        error_code: 'media_invalid',
        error_message: 'Not an image.',
      }),
      await media({ status: 'deleted' }),
      await addImage(rest.context.db, (await rest.createTenant()).projectId),
    ];
    expect(await issuesOf({ media_ids: unusable })).toEqual([
      ['media_ids[0]', 'media_not_ready'],
      ['media_ids[1]', 'media_failed'],
      ['media_ids[2]', 'media_deleted'],
      ['media_ids[3]', 'unknown_media'],
    ]);
    const video = await media(videoRow);
    expect(await issuesOf({ media: [{ id: video, thumbnail_id: video }] })).toEqual([
      ['media[0].thumbnail_id', 'thumbnail_not_image'],
    ]);
  });

  test('a test key finds no media of production', async () => {
    const id = await media();
    const { projectId } = author;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const body = { caption: 'a', account_ids: [accounts[0]], media_ids: [id] };
    const answer = await rest.call('POST', '/v1/posts', { key, body });
    expect(answer.body.error.issues).toMatchObject([{ code: 'unknown_media' }]);
  });
});

describe('media that break the rules of a network', () => {
  test.each<[string, () => Promise<object>, string, string, number, number]>([
    [
      'eleven images',
      async () => ({ media_ids: await Promise.all(Array.from({ length: 11 }, () => media())) }),
      'media_ids',
      'too_many_media',
      11,
      10,
    ],
    [
      'a long video',
      async () => ({ media_ids: [await media({ ...videoRow, duration_ms: 600_001 })] }),
      'media_ids[0]',
      'media_too_long',
      600_001,
      600_000,
    ],
    [
      'a large image without auto_fit',
      async () => ({ media_ids: [await media({ size_bytes: 2_500_000 })], auto_fit: false }),
      'media_ids[0]',
      'media_too_large',
      2_500_000,
      2_000_000,
    ],
  ])('are refused, the same in validate: %s', async (_, fields, path, code, actual, limit) => {
    const account_ids = [author.accounts[0]];
    const body = { caption: 'a', account_ids, ...(await fields()) };
    const post = (route: string) => rest.call('POST', route, { key: author.key, body });
    const created = await post('/v1/posts');
    expect([created.status, created.body.error.issues]).toMatchObject([
      422,
      [{ path, code, actual, limit }],
    ]);
    const { valid, errors } = (await post('/v1/posts/validate')).body.data;
    const { message } = created.body.error.issues[0];
    expect([valid, errors]).toMatchObject([
      false,
      [{ field: path, code, actual, limit, message, account_id: account_ids[0] }],
    ]);
    expect((await rest.call('GET', '/v1/posts', { key: author.key })).body.data).toEqual([]);
  });

  test('are accepted if auto_fit resizes them', async () => {
    const fields = { caption: 'a', account_ids: [author.accounts[0]] };
    const post = await create({ ...fields, media_ids: [await media({ size_bytes: 2_500_000 })] });
    expect(post.auto_fit).toBe(true);
    const kept = await create({ ...fields, media_ids: [await media()], auto_fit: false });
    expect(kept.auto_fit).toBe(false);
    expect((await author.read(kept.id)).auto_fit).toBe(false);
  });
});

test("media that a change takes from a post can be deleted, but media that it keeps can't", async () => {
  const [a, b, c] = [await media(), await media(), await media()];
  const post = await create({ media_ids: [a, b], scheduled_at: inSeconds(7_200) });
  const { status } = await author.change(post.id, { media_ids: [b, c] });
  expect(status).toBe(200);
  const usesOf = async () => {
    const uses = rest.context.db.selectFrom('media_uses').select('media_id');
    const rows = await uses.where('post_id', '=', post.id).execute();
    return rows.map(({ media_id }) => media_id).sort();
  };
  expect(await usesOf()).toEqual([b, c].sort());
  const remove = (id: string) => rest.call('DELETE', `/v1/media/${id}`, { key: author.key });
  expect((await remove(a)).status).toBe(204);
  for (const id of [b, c]) {
    const { status: refused, body } = await remove(id);
    expect([refused, body.error]).toMatchObject([409, { code: 'conflict', post_id: post.id }]);
  }
  expect((await author.change(post.id, { media: [] })).status).toBe(200);
  expect(await usesOf()).toEqual([]);
  for (const id of [b, c]) expect((await remove(id)).status).toBe(204);
});

test('media that are deleted while a post is checked refuse the post, and nothing is written', async () => {
  const { db } = rest.context;
  const id = await media();
  const body = { caption: 'a', account_ids: [accounts[0]], media_ids: [id] };
  let creating: Promise<TestAnswer>;
  await db.transaction().execute(async (trx) => {
    // Not visible to the check, but its lock stops the write.
    await trx.updateTable('media').set({ status: 'deleted' }).where('id', '=', id).execute();
    creating = rest.call('POST', '/v1/posts', { key: author.key, body });
    await expect.poll(() => countWaiting(db)).toBe(1);
  });
  const answer = await creating!;
  expect([answer.status, answer.body.error.issues]).toMatchObject([
    422,
    [{ path: 'media', code: 'media_deleted', message: `The media were deleted: ${id}.` }],
  ]);
  expect((await rest.call('GET', '/v1/posts', { key: author.key })).body.data).toEqual([]);
  expect(await author.published(accounts[0])).toBe(0);
});

describe('a URL', () => {
  const workflowsOf = (ids: string[]) =>
    rest.context.db
      .selectFrom('outbox')
      .select('input')
      .where('workflow', '=', 'fetchMedia')
      .execute()
      .then((rows) =>
        rows.filter(({ input }) => ids.includes((input as { mediaId: string }).mediaId)),
      );

  test('is fetched once for a post, wherever the post names it', async () => {
    const [ada, bob] = accounts;
    const post = await create({
      media_urls: [url],
      platform_posts: [{ account_id: ada }, { account_id: bob, media_urls: [url] }],
    });
    const ids = post.results.map((result) => result.media[0]!.id!);
    expect(new Set([post.media[0]!.id, ...ids]).size).toBe(1);
    expect(await workflowsOf(ids)).toHaveLength(1);
  });

  test('is fetched when its draft is scheduled', async () => {
    const draft = await create({ status: 'draft', media_urls: [url] });
    expect(draft.media).toEqual([
      { id: null, url, alt_text: null, thumbnail_id: null, thumbnail_at_ms: null },
    ]);
    const { body } = await author.change(draft.id, { scheduled_at: inSeconds(7_200) });
    const { id } = body.data.media[0];
    expect(body.data.media).toEqual([
      { id, url, alt_text: null, thumbnail_id: null, thumbnail_at_ms: null },
    ]);
    expect(await workflowsOf([id])).toHaveLength(1);
  });

  test('is fetched when its draft is published', async () => {
    const draft = await create({ status: 'draft', media_urls: [url] });
    const { body } = await author.ask(draft.id, 'publish');
    const { id } = body.data.media[0];
    expect(body.data.media).toEqual([
      { id, url, alt_text: null, thumbnail_id: null, thumbnail_at_ms: null },
    ]);
    expect(await workflowsOf([id])).toHaveLength(1);
    expect(await statusOf(id)).toBe('pending');
  });

  test('is fetched at once if its post becomes due earlier while a later fetch is planned', async () => {
    const { db } = rest.context;
    const { id: postId, media: items } = await create({
      media_urls: [url],
      scheduled_at: inSeconds(86_400),
    });
    const id = items[0]!.id!;
    expect(await workflowsOf([id])).toHaveLength(1);
    await db.updateTable('media').set({ fetch_attempts: 1 }).where('id', '=', id).execute();
    await author.change(postId, { scheduled_at: inSeconds(3_600) });
    expect(await workflowsOf([id])).toHaveLength(2);
    await author.ask(postId, 'publish');
    expect(await workflowsOf([id])).toHaveLength(3);
  });

  test('fails the target of a scheduled post if its fetch fails, until the post gets other media', async () => {
    const { db } = rest.context;
    const scheduled = await create({
      media_urls: [url],
      scheduled_at: inSeconds(7_200),
    });
    const { id } = scheduled.media[0]!;
    const error = { error_code: 'media_unreachable', error_message: 'The server answered 404.' };
    await db
      .updateTable('media')
      .set({ status: 'failed', ...error } as never)
      .where('id', '=', id!)
      .execute();
    const row = await findMedia(db, id!);
    await inQuietTransaction(db, (trx) => failScheduledTargets(trx, row!));
    const failed = await author.read(scheduled.id);
    expect(failed.status).toBe('scheduled');
    expect(failed.results[0]).toMatchObject({
      status: 'failed',
      failure_stage: 'prepare',
      ...error,
    });
    const again = await author.change(scheduled.id, { caption: 'other' });
    expect(again.body.error.issues).toMatchObject([{ path: 'media[0].id', code: 'media_failed' }]);
    const { body } = await author.change(scheduled.id, { media_ids: [await media()] });
    expect(body.data.results).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
    expect(await author.published(accounts[0])).toBe(1);
  });
});

describe('warnings', () => {
  const shown = (issues: { code: string; field: string }[]) =>
    issues.map(({ field, code }) => [field, code]);
  const warningsOf = async (body: object, headers = {}) => {
    const request = { account_ids: [accounts[0]], ...body };
    const answer = await rest.call('POST', '/v1/posts', {
      key: author.key,
      body: request,
      headers,
    });
    expect(answer.status).toBeLessThan(300);
    return shown(answer.body.warnings);
  };

  test('report the same content within a day, unless the request has an idempotency key', async () => {
    const [a, b] = [await media(), await media()];
    const post = { caption: 'the same', media_ids: [a] };
    expect(await warningsOf(post)).toEqual([]);
    expect(await warningsOf(post)).toEqual([['account_ids[0]', 'repeated_content']]);
    expect(await warningsOf(post, { 'Idempotency-Key': 'k1' })).toEqual([]);
    expect(await warningsOf({ ...post, media_ids: [b] })).toEqual([]);
    expect(await warningsOf({ ...post, account_ids: [accounts[1]] })).toEqual([]);
  });

  test('report the same content although a client library makes a key for each call', async () => {
    const post = { caption: 'by a library' };
    const repeated = [['account_ids[0]', 'repeated_content']];
    const once = (key: string) => warningsOf(post, { 'Idempotency-Key': key });
    expect(await once('auto_1')).toEqual([]);
    expect(await once('auto_1'), 'the same call again').toEqual([]);
    expect(await once('auto_2'), 'another call').toEqual(repeated);
    expect(await once('auto_2'), 'the same call again').toEqual(repeated);
    expect(await once('mine')).toEqual([]);
    expect(await warningsOf({ ...post, idempotency_key: 'auto_3' })).toEqual(repeated);
  });

  test('report the same content of a bulk request with an automatic key', async () => {
    const item = { caption: 'of a bulk request', account_ids: [accounts[0]] };
    const once = async (key: string) => {
      const body = { posts: [item, { ...item, idempotency_key: `${key}_own` }] };
      const headers = { 'Idempotency-Key': key };
      const answer = await rest.call('POST', '/v1/posts/bulk', { key: author.key, body, headers });
      return answer.body.data.map(({ warnings }: { warnings: object[] }) => warnings.length);
    };
    expect(await once('auto_bulk')).toEqual([0, 1]);
    expect(await once('auto_bulk'), 'the same call again').toEqual([0, 1]);
    expect(await once('bulk')).toEqual([0, 0]);
  });

  test('report no repeat with other options, or as a reply to another post', async () => {
    const to = (target: object) => {
      const platform_posts = [{ account_id: accounts[0], ...target }];
      return warningsOf({ caption: 'same', account_ids: undefined, platform_posts });
    };
    const repeated = [['platform_posts[0].account_id', 'repeated_content']];
    const options = { platform_options: { outcome: 'rejected' } };
    for (const target of [{}, options, { in_reply_to: '1a' }, { in_reply_to: '2a' }]) {
      expect(await to(target), JSON.stringify(target)).toEqual([]);
      expect(await to(target), JSON.stringify(target)).toEqual(repeated);
    }
  });

  test('report a repeat for 24 hours', async () => {
    for (const [hours, codes] of [
      [23.9, ['repeated_content']],
      [24.1, []],
    ] as const) {
      const post = { caption: `${hours} hours ago`, account_ids: [accounts[0]] };
      const { results } = await create(post);
      await rest.context.db
        .updateTable('post_results')
        .set({ id: idAt('result', new Date(Date.now() - hours * 3_600_000)) })
        .where('id', '=', results[0]!.id)
        .execute();
      const warnings = await warningsOf(post);
      expect(warnings.map(([, code]: string[]) => code)).toEqual(codes);
    }
  });

  test('report no repeat of a target that failed', async () => {
    const post = { caption: 'failing', account_ids: [accounts[0]] };
    const { id, resultIds } = await createStarted(rest, author, post);
    await failTarget(rest, resultIds[0]);
    await conclude(rest, id);
    expect(await warningsOf(post)).toEqual([]);
    expect(await warningsOf(post)).toEqual([['account_ids[0]', 'repeated_content']]);
  });

  test('report no repeat of a draft, or of a canceled post', async () => {
    expect(await warningsOf({ caption: 'b', status: 'draft' })).toEqual([]);
    const canceled = await create({
      caption: 'b',
      account_ids: [accounts[0]],
      scheduled_at: inSeconds(7_200),
    });
    await author.ask(canceled.id, 'cancel');
    expect(await warningsOf({ caption: 'b' })).toEqual([]);
  });

  test('report no repeat of a post that became a draft', async () => {
    const later = { account_ids: [accounts[0]], scheduled_at: inSeconds(7_200) };
    for (const [caption, codes] of [
      ['stays', ['repeated_content']],
      ['moves', []],
    ]) {
      const { id } = await create({ ...later, caption });
      const body = { status: 'draft' };
      if (caption === 'moves')
        await rest.call('PATCH', `/v1/posts/${id}`, { key: author.key, body });
      const warnings = await warningsOf({ caption });
      expect(warnings.map(([, code]: string[]) => code)).toEqual(codes);
    }
  });

  test('come again with the stored answer of a repeated request', async () => {
    const part = { account_id: accounts[0], caption: 'again' };
    const platform_posts = [0, 1].map((thread_position) => ({ ...part, thread_position }));
    const body = { account_ids: undefined, platform_posts };
    const first = await warningsOf(body, { 'Idempotency-Key': 'k2' });
    expect(first).toEqual([['platform_posts[1].caption', 'repeated_text']]);
    expect(await warningsOf(body, { 'Idempotency-Key': 'k2' })).toEqual(first);
  });

  test('report a thumbnail that the network does not show, the same when the post is validated', async () => {
    const [id, thumbnail_id] = [await media(videoRow), await media()];
    const body = { caption: 'film', media: [{ id, thumbnail_id }] };
    const expected = [['media[0].thumbnail_id', 'thumbnail_ignored']];
    expect(await warningsOf(body)).toEqual(expected);
    const answer = await rest.call('POST', '/v1/posts/validate', {
      key: author.key,
      body: { ...body, caption: 'another', account_ids: [accounts[0]] },
    });
    expect([answer.body.data.valid, shown(answer.body.data.warnings)]).toEqual([true, expected]);
    expect(await warningsOf({ caption: 'bare', media: [{ id }] })).toEqual([]);
  });

  test('come with a changed post and with a draft that is published', async () => {
    const large = await media({ size_bytes: 2_500_000 });
    const bluesky = await rest.insertAccount(author.projectId, { platform: 'bluesky' });
    const { id } = await create({ caption: 'a', account_ids: [bluesky], status: 'draft' });
    const plain = await author.change(id, { caption: 'b' });
    expect([plain.status, plain.body.warnings]).toEqual([200, []]);
    const changed = await author.change(id, { media_ids: [large] });
    expect(shown(changed.body.warnings)).toEqual([['media_ids[0]', 'media_fitted']]);
    const published = await author.ask(id, 'publish');
    expect(published.status).toBe(202);
    expect(shown(published.body.warnings)).toEqual([['media[0]', 'media_fitted']]);
    expect(published.body.data).not.toHaveProperty('warnings');
  });
});
