// The picture of a link card: what is refused, what is stored, and what a change does to it.
import { describe, expect, test } from 'vitest';
import { failScheduledTargets } from '../../../schema/database/posts/fail-scheduled.ts';
import { findMedia } from '../../../schema/database/media/rows.ts';
import type { MediaItem } from '../../../schema/database/tables.ts';
import { useRest } from '../../support/app/rest.ts';
import { addImage, readMedia, videoRow } from '../../support/rows/media.ts';
import { inSeconds, useAuthor } from '../../support/rows/posts.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const rest = useRest();
const author = useAuthor(rest);

const imageUrl = 'https://media.test/card.jpg';
const image = (change = {}) => addImage(rest.context.db, author.projectId, change);
const withThumb = (thumb: object) => ({ link: { url: 'https://example.com/album', thumb } });
const at = 'platform_posts[0].platform_options.link.thumb';

const postWith = (thumb: object, own = {}) => ({
  caption: 'Out now',
  platform_posts: [{ account_id: author.accounts[0], platform_options: withThumb(thumb), ...own }],
});

/** The errors of this post, the same in `validate` and in a refused creation. */
async function issuesOf(post: object) {
  const call = (path: string) => rest.call('POST', path, { key: author.key, body: post });
  const created = await call('/v1/posts');
  const { errors } = (await call('/v1/posts/validate')).body.data;
  const shown = errors.map(({ field, code }: Record<string, string>) => [field, code]);
  expect(created.status).toBe(422);
  expect(
    created.body.error.issues.map(({ path, code }: Record<string, string>) => [path, code]),
  ).toEqual(shown);
  return shown;
}

async function usesOf(postId: string): Promise<string[]> {
  const uses = rest.context.db.selectFrom('media_uses').select('media_id');
  const rows = await uses.where('post_id', '=', postId).execute();
  return rows.map(({ media_id }) => media_id);
}

/** As the engine reads it: the media of the post's one target. */
async function storedThumb(postId: string): Promise<MediaItem> {
  const rows = rest.context.db.selectFrom('post_results').select('media');
  const { media } = await rows.where('post_id', '=', postId).executeTakeFirstOrThrow();
  expect(media).toHaveLength(1);
  return media![0]!;
}

const countFetches = async (mediaId: string) => {
  const rows = await rest.context.db
    .selectFrom('outbox')
    .select('input')
    .where('workflow', '=', 'fetchMedia')
    .execute();
  return rows.filter(({ input }) => (input as { mediaId: string }).mediaId === mediaId).length;
};

const remove = async (id: string) => {
  const { status } = await rest.call('DELETE', `/v1/media/${id}`, { key: author.key });
  return status;
};

describe('the thumb of a link card is refused', () => {
  test('with both forms, neither, or a URL that can not be fetched', async () => {
    const id = await image();
    expect(await issuesOf(postWith({ id, url: imageUrl }))).toEqual([[at, 'id_or_url']]);
    expect(await issuesOf(postWith({}))).toEqual([[at, 'id_or_url']]);
    expect(await issuesOf(postWith({ url: 'card.jpg' }))).toEqual([[`${at}.url`, 'invalid_url']]);
    expect(await issuesOf(postWith({ id, alt_text: 'A' }))).toEqual([
      [`${at}.alt_text`, 'unknown_field'],
    ]);
  });

  test.each<[string, object, string]>([
    ['pending', { status: 'pending' }, 'media_not_ready'],
    ['failed', { status: 'failed', error_code: 'media_invalid' }, 'media_failed'],
    ['deleted', { status: 'deleted' }, 'media_deleted'],
  ])('if it is %s', async (_, change, code) => {
    expect(await issuesOf(postWith({ id: await image(change) }))).toEqual([[`${at}.id`, code]]);
  });

  test('if it is a video, or of another project', async () => {
    const video = await image(videoRow);
    expect(await issuesOf(postWith({ id: video }))).toEqual([[at, 'media_kind_not_supported']]);
    const { projectId } = await rest.createTenant();
    const foreign = await addImage(rest.context.db, projectId);
    expect(await issuesOf(postWith({ id: foreign }))).toEqual([[`${at}.id`, 'unknown_media']]);
  });

  test('if it is too large for the card and may not be fitted', async () => {
    const id = await image({ size_bytes: 1_000_001 });
    expect(await issuesOf({ ...postWith({ id }), auto_fit: false })).toEqual([
      [at, 'media_too_large'],
    ]);
    expect((await author.create(postWith({ id }))).status).toBe('pending');
  });

  test('beside other media, of the target or of the post', async () => {
    const [id, other] = [await image(), await image()];
    const media_ids = [other];
    expect(await issuesOf(postWith({ id }, { media_ids }))).toEqual([[at, 'not_with_media']]);
    expect(await issuesOf({ ...postWith({ id }), media_ids })).toEqual([[at, 'not_with_media']]);
    const post = await author.create({ ...postWith({ id }, { media: [] }), media_ids });
    expect(await usesOf(post.id)).toEqual(expect.arrayContaining([id, other]));
  });

  test('on a network without link cards', async () => {
    const account_id = await rest.insertAccount(author.projectId, { platform: 'sandbox' });
    const issues = await issuesOf(postWith({ id: await image() }, { account_id }));
    expect(issues).toContainEqual(['platform_posts[0].platform_options.link', 'unknown_field']);
  });
});

describe('the thumb of a link card', () => {
  test('counts as used by the post, so it is kept with the post', async () => {
    const id = await image();
    const post = await author.create({ ...postWith({ id }), scheduled_at: inSeconds(7_200) });
    expect(await usesOf(post.id)).toEqual([id]);
    expect((await readMedia(rest.context.db, id)).status).toBe('attached');
    expect(await remove(id)).toBe(409);
    expect(await storedThumb(post.id)).toMatchObject({ id, url: null });
  });

  test('is shown as the option, and can be sent back', async () => {
    const thumb = { id: await image() };
    const { id, results } = await author.create({ ...postWith(thumb), status: 'draft' });
    const [{ media, media_urls, platform_options }] = results as [(typeof results)[0]];
    expect([media, media_urls, platform_options]).toEqual([[], [], withThumb(thumb)]);
    const account_id = author.accounts[0];
    const platform_posts = [{ account_id, media_urls, platform_options }];
    expect((await author.change(id, { platform_posts })).status).toBe(200);
    expect((await author.read(id)).results[0]).toMatchObject({ media, platform_options });
  });

  test('is fetched from its URL once the post is accepted', async () => {
    const post = await author.create(postWith({ url: imageUrl }));
    const item = await storedThumb(post.id);
    expect(item.url).toBe(imageUrl);
    expect(await usesOf(post.id)).toEqual([item.id]);
    expect(await countFetches(item.id!)).toBe(1);
  });

  test('is fetched from its URL when its draft is scheduled', async () => {
    const draft = await author.create({ ...postWith({ url: imageUrl }), status: 'draft' });
    expect(await storedThumb(draft.id)).toMatchObject({ id: null, url: imageUrl });
    expect((await author.change(draft.id, { scheduled_at: inSeconds(7_200) })).status).toBe(200);
    const item = await storedThumb(draft.id);
    expect(await countFetches(item.id!)).toBe(1);
  });

  test('stays when another field changes, and is replaced with its target', async () => {
    const [a, b] = [await image(), await image()];
    const scheduled = { scheduled_at: inSeconds(7_200) };
    const { id } = await author.create({ ...postWith({ id: a }), ...scheduled });
    expect((await author.change(id, { caption: 'Soon' })).status).toBe(200);
    expect(await usesOf(id)).toEqual([a]);
    const { platform_posts } = postWith({ id: b });
    expect((await author.change(id, { platform_posts })).status).toBe(200);
    expect(await usesOf(id)).toEqual([b]);
    expect([await remove(a), await remove(b)]).toEqual([204, 409]);
  });

  test('fails its target long before the post is due if it can not be fetched', async () => {
    const { db } = rest.context;
    const scheduled = { scheduled_at: inSeconds(7_200) };
    const { id } = await author.create({ ...postWith({ url: imageUrl }), ...scheduled });
    const item = await storedThumb(id);
    const failed = { status: 'failed', error_code: 'media_unreachable' } as const;
    await db.updateTable('media').set(failed).where('id', '=', item.id!).execute();
    const row = (await findMedia(db, item.id!))!;
    await inQuietTransaction(db, (trx) => failScheduledTargets(trx, row));
    expect((await author.read(id)).results[0]).toMatchObject({
      status: 'failed',
      error_code: 'media_unreachable',
    });
    const refused = await author.change(id, { caption: 'other' });
    expect(refused.body.error.issues).toMatchObject([{ path: `${at}.id`, code: 'media_failed' }]);
  });

  test('is compared by its bytes, not by its ID, when a repeated post is detected', async () => {
    const codesOf = async (thumb: object) => {
      const body = postWith(thumb);
      const { warnings } = (await rest.call('POST', '/v1/posts', { key: author.key, body })).body;
      return warnings.map(({ code }: { code: string }) => code);
    };
    const sha256 = 'a'.repeat(64);
    expect(await codesOf({ id: await image({ sha256 }) })).toEqual([]);
    expect(await codesOf({ id: await image({ sha256: 'b'.repeat(64) }) })).toEqual([]);
    expect(await codesOf({ id: await image({ sha256 }) })).toEqual(['repeated_content']);
  });
});
