// Copying a post into a new draft.
import { describe, expect, test } from 'vitest';
import { useRest } from '../../../support/app/rest.ts';
import { addImage } from '../../../support/rows/media.ts';
import {
  changesOf,
  conclude,
  createPartial,
  createStarted,
  failTarget,
  inSeconds,
  publishTarget,
  useAuthor,
} from '../../../support/rows/posts.ts';

const rest = useRest();
const author = useAuthor(rest);

const imageOf = () => addImage(rest.context.db, author.projectId);
const lose = (mediaId: string) =>
  rest.context.db
    .updateTable('media')
    .set({ status: 'deleted' })
    .where('id', '=', mediaId)
    .execute();
const duplicate = (id: string, headers?: Record<string, string>) =>
  author.ask(id, 'duplicate', headers);

describe('POST /v1/posts/:id/duplicate', () => {
  test('copies the content, the targets, the media and the metadata into a new draft', async () => {
    const [first, second] = author.accounts;
    const mediaId = await imageOf();
    const source = await author.create({
      caption: 'Spring',
      media: [{ id: mediaId, alt_text: 'A tree' }],
      auto_fit: false,
      metadata: { campaign: 'spring' },
      labels: ['spring'],
      scheduled_at: inSeconds(3_600),
      publish_by: inSeconds(7_200),
      platform_posts: [
        { account_id: first, thread_position: 1, caption: 'One', first_comment: 'More' },
        { account_id: first, thread_position: 2, media: [] },
        { account_id: second, platform_options: { langs: ['en'] } },
      ],
    });
    const answer = await duplicate(source.id);
    expect(answer).toMatchObject({ status: 201, body: { warnings: [] } });
    const { data } = answer.body;
    expect(answer.headers.get('Location')).toBe(`/v1/posts/${data.id}`);
    expect(data.id).not.toBe(source.id);
    expect(data).toMatchObject({
      status: 'draft',
      caption: 'Spring',
      auto_fit: false,
      metadata: { campaign: 'spring' },
      labels: ['spring'],
      media: [{ id: mediaId, alt_text: 'A tree' }],
      scheduled_at: null,
      publish_by: null,
      published_at: null,
      revision: 1,
    });
    expect(data.results).toMatchObject([
      { caption: 'One', thread_position: 1, first_comment: { text: 'More', status: 'pending' } },
      { caption: 'Spring', thread_position: 2, media: [], first_comment: null },
      { social_account_id: second, platform_options: { langs: ['en'] } },
    ]);
    expect(await author.read(data.id)).toEqual(data);
    expect(await author.read(source.id)).toEqual(source);
    expect(await changesOf(rest, data.id)).toEqual(['created']);
    expect((await author.ask(data.id, 'publish')).status).toBe(202);
  });

  test.each<[string, () => Promise<{ id: string }>]>([
    ['a draft', () => author.create({ status: 'draft' })],
    ['an empty draft', () => author.create({ status: 'draft', caption: '', account_ids: [] })],
    ['a scheduled post', () => author.create({ scheduled_at: inSeconds(3_600) })],
    ['a pending post', () => createStarted(rest, author)],
    ['a post published in part', () => createPartial(rest, author)],
    [
      'a published post',
      async () => {
        const { id, resultIds } = await createStarted(rest, author);
        for (const resultId of resultIds) await publishTarget(rest, resultId);
        await conclude(rest, id);
        return { id };
      },
    ],
    [
      'a failed post',
      async () => {
        const { id, resultIds } = await createStarted(rest, author);
        for (const resultId of resultIds) await failTarget(rest, resultId);
        await conclude(rest, id);
        return { id };
      },
    ],
    [
      'a canceled post',
      async () => {
        const { id } = await author.create({ scheduled_at: inSeconds(3_600) });
        await author.ask(id, 'cancel');
        return { id };
      },
    ],
  ])('copies %s as a draft that nothing has happened to', async (_, createSource) => {
    const { id } = await createSource();
    const source = await author.read(id);
    const { status, body } = await duplicate(id);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      status: 'draft',
      caption: source.caption,
      results: source.results.map(({ social_account_id }) => ({
        social_account_id,
        status: 'pending',
        external_id: null,
        attempts: 0,
        changes: [],
      })),
    });
    expect(await author.published(author.accounts[0])).toBe(
      source.results.some(({ status: of }) => of === 'published' || of === 'pending') &&
        source.status !== 'draft'
        ? 1
        : 0,
    );
  });

  test('warns of media and accounts that were lost since', async () => {
    const mediaId = await imageOf();
    const { id } = await author.create({ media_ids: [mediaId], scheduled_at: inSeconds(3_600) });
    await author.ask(id, 'cancel');
    await lose(mediaId);
    await rest.call('DELETE', `/v1/accounts/${author.accounts[1]}`, { key: author.key });
    const { status, body } = await duplicate(id);
    expect(status).toBe(201);
    expect(body.data.media).toMatchObject([{ id: mediaId }]);
    expect(body.warnings).toMatchObject([
      { path: 'media[0].id', code: 'media_deleted', severity: 'warning' },
      { path: 'platform_posts[1].account_id', code: 'account_not_active', severity: 'warning' },
    ]);
    // The draft still names its media once the post that it was copied from is gone.
    await author.delete(id);
    const changed = await author.change(body.data.id, { caption: 'changed' });
    expect(changed.body.warnings).toHaveLength(2);
    const published = await author.ask(body.data.id, 'publish');
    expect(published).toMatchObject({ status: 422, body: { error: { issues: [{}, {}] } } });
  });

  test('copies once for an idempotency key, even if the post is gone by then', async () => {
    const { id } = await author.create({ status: 'draft', idempotency_key: 'of the source' });
    const headers = { 'Idempotency-Key': 'copy' };
    const first = await duplicate(id, headers);
    await author.delete(id);
    const again = await duplicate(id, headers);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again).toMatchObject({ status: 201, body: { data: first.body.data, warnings: [] } });
    const other = await author.create({ status: 'draft' });
    expect(await duplicate(other.id, headers)).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_conflict' } },
    });
  });

  test('needs the scope and a post that the key can see', async () => {
    const { projectId } = author;
    const { id } = await author.create({ status: 'draft' });
    const path = `/v1/posts/${id}/duplicate`;
    const reader = await rest.createTenant({ projectId, scopes: ['posts:read'] });
    expect(await rest.call('POST', path, reader)).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
    const tester = await rest.createTenant({ projectId, environment: 'test' });
    for (const [asked, key] of [
      [path, tester.key],
      ['/v1/posts/post_none/duplicate', author.key],
    ] as const) {
      expect(await rest.call('POST', asked, { key })).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    }
    const own = await rest.call('POST', '/v1/posts', {
      key: tester.key,
      body: { status: 'draft' },
    });
    const ofTest = `/v1/posts/${own.body.data.id}/duplicate`;
    const copy = await rest.call('POST', ofTest, { key: tester.key });
    expect(copy.body.data).toMatchObject({ status: 'draft', results: [] });
    const read = `/v1/posts/${copy.body.data.id}`;
    expect((await rest.call('GET', read, { key: tester.key })).status).toBe(200);
  });
});
