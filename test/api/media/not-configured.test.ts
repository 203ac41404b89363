// An installation without a store of media: what needs one is refused, and everything else works.
import { beforeEach, describe, expect, test } from 'vitest';
import { useRest } from '../../support/app/rest.ts';
import { addImage, addMedia, readMedia } from '../../support/rows/media.ts';
import { inSeconds, useAuthor } from '../../support/rows/posts.ts';

const rest = useRest({}, { media: undefined });
const author = useAuthor(rest);
let account: string;
beforeEach(async () => {
  account = await rest.insertAccount(author.projectId, { platform: 'sandbox' });
});

const call = (method: string, path: string, body?: object) =>
  rest.call(method, path, { key: author.key, body });

async function expectRefused(method: string, path: string, body?: object): Promise<void> {
  const answer = await call(method, path, body);
  expect([answer.status, answer.body.error]).toMatchObject([
    503,
    { code: 'media_not_configured', is_retriable: false },
  ]);
}

const url = 'https://media.test/a.jpg';
const countPosts = async () => (await call('GET', '/v1/posts')).body.data.length;

describe('without a store, media', () => {
  test('are not created', async () => {
    await expectRefused('POST', '/v1/media', { filename: 'a.png', content_type: 'image/png' });
    expect((await call('GET', '/v1/media')).body.data).toEqual([]);
  });

  test('get no new upload URL, and are not deleted', async () => {
    const { db } = rest.context;
    const id = await addMedia(db, author.projectId);
    await expectRefused('POST', `/v1/media/${id}/upload-url`);
    await expectRefused('DELETE', `/v1/media/${id}`);
    expect(await readMedia(db, id)).toMatchObject({ status: 'pending', upload_token_hash: null });
  });
});

describe('without a store, a post with media', () => {
  test.each([
    ['media_urls', { media_urls: [url] }],
    ['media', { media: [{ url }] }],
    ['a draft', { media_urls: [url], status: 'draft' }],
    ['a scheduled post', { media_urls: [url], scheduled_at: inSeconds(7_200) }],
  ])('is neither created nor valid: %s', async (_, fields) => {
    const body = { caption: 'a', account_ids: [account], ...fields };
    await expectRefused('POST', '/v1/posts', body);
    await expectRefused('POST', '/v1/posts/validate', body);
    expect(await countPosts()).toBe(0);
  });

  test('is not created with media of a target, or with uploaded media', async () => {
    const own = [{ account_id: account, media_urls: [url] }];
    await expectRefused('POST', '/v1/posts', { caption: 'a', platform_posts: own });
    const media_ids = [await addImage(rest.context.db, author.projectId)];
    await expectRefused('POST', '/v1/posts', { caption: 'a', account_ids: [account], media_ids });
    expect(await countPosts()).toBe(0);
  });

  test('cannot be made by a change, or from an older draft', async () => {
    const draft = await author.create({ status: 'draft', account_ids: [account] });
    await expectRefused('PATCH', `/v1/posts/${draft.id}`, { media_urls: [url] });
    const items = [{ id: null, url, alt_text: null, thumbnail_id: null, thumbnail_at_ms: null }];
    await rest.context.db
      .updateTable('posts')
      .set({ media: JSON.stringify(items) })
      .where('id', '=', draft.id)
      .execute();
    await expectRefused('POST', `/v1/posts/${draft.id}/publish`);
    await expectRefused('PATCH', `/v1/posts/${draft.id}`, { scheduled_at: inSeconds(7_200) });
    expect((await author.read(draft.id)).status).toBe('draft');
    expect((await author.change(draft.id, { media: [] })).status).toBe(200);
    expect((await author.ask(draft.id, 'publish')).status).toBe(202);
  });
});

test('without a store, a post without media is created', async () => {
  const post = await author.create({ account_ids: [account], media: [] });
  expect(post.status).toBe('pending');
});
