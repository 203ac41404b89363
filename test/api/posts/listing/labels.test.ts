// Labels of posts: how they are given, changed, shown in events and counted.
import { describe, expect, test } from 'vitest';
import { useRest } from '../../../support/app/rest.ts';
import { eventsOf, inSeconds, useAuthor } from '../../../support/rows/posts.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);

const issuesOf = (body: { error: { issues: { path: string; code: string }[] } }) =>
  body.error.issues.map(({ path, code }) => [path, code]);

function create(labels: unknown) {
  const { key, accounts } = author;
  const body = { caption: 'a', account_ids: [accounts[0]], status: 'draft', labels };
  return rest.call('POST', '/v1/posts', { key, body });
}

describe('the labels of a post', () => {
  test('are shown in the order in which they were given, each once', async () => {
    const labels = ['spring', 'Spring', 'Berlin, Mitte', 'spring', '🌷'];
    const post = await author.create({ labels });
    expect(post.labels).toEqual(['spring', 'Spring', 'Berlin, Mitte', '🌷']);
    expect((await author.read(post.id)).labels).toEqual(post.labels);
  });

  test('are none by default, and if they are null', async () => {
    expect((await author.create()).labels).toEqual([]);
    expect((await author.create({ labels: null })).labels).toEqual([]);
  });

  test('are replaced as a whole, and count as a revision', async () => {
    const post = await author.create({ labels: ['a', 'b'], scheduled_at: inSeconds(600) });
    await author.change(post.id, { labels: ['c'] });
    const changed = await author.read(post.id);
    expect(changed.labels).toEqual(['c']);
    expect(changed.revision).toBeGreaterThan(post.revision);
    await author.change(post.id, { labels: null, caption: 'kept' });
    expect((await author.read(post.id)).labels).toEqual(['c']);
    await author.change(post.id, { labels: [] });
    expect((await author.read(post.id)).labels).toEqual([]);
  });

  test('are in the data of events', async () => {
    const { id } = await author.create({ labels: ['spring'], scheduled_at: inSeconds(600) });
    expect((await eventsOf(rest, id)).map(({ data }) => data.labels)).toEqual([['spring']]);
  });
});

describe('refused labels', () => {
  test.each([
    ['a text', 'spring', [['labels', 'invalid_type']]],
    ['an empty one', ['a', ''], [['labels[1]', 'too_small']]],
    ['one without a visible character', ['a', '\u00a0'], [['labels[1]', 'invalid']]],
    ['one with a line break', ['a\nb'], [['labels[0]', 'invalid']]],
    ['one that is too long', ['a', 'b', 'c'.repeat(65)], [['labels[2]', 'too_big']]],
    ['a number', [7], [['labels[0]', 'invalid_type']]],
    ['too many', Array.from({ length: 21 }, (_, i) => `${i}`), [['labels', 'too_big']]],
    ['thousands', Array.from({ length: 9_000 }, (_, i) => `${i}`), [['labels', 'too_big']]],
  ])('%s', async (_, labels, issues) => {
    const { status, body } = await create(labels);
    expect(status).toBe(422);
    expect(issuesOf(body)).toEqual(issues);
  });

  test('ten thousand, or one of a megabyte, are too large for a request', async () => {
    for (const labels of [Array.from({ length: 10_000 }, () => 'a'), ['a'.repeat(1_000_000)]]) {
      expect(await create(labels)).toMatchObject({
        status: 413,
        body: { error: { code: 'payload_too_large' } },
      });
    }
  });

  test('in a bulk request refuse only their item, or the request if it has too many values', async () => {
    const { key } = author;
    const send = (labels: string[]) => {
      const posts = [{ status: 'draft' }, { status: 'draft', labels }];
      return rest.call('POST', '/v1/posts/bulk', { key, body: { posts } });
    };
    const issues = [{ path: 'posts[1].labels[0]', code: 'too_big' }];
    expect((await send(['a'.repeat(1_000_000)])).body.data).toMatchObject([
      { status: 201 },
      { status: 422, error: { issues } },
    ]);
    const many = await send(Array.from({ length: 10_000 }, () => 'a'));
    expect(many).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
  });

  test('of a change name the same paths', async () => {
    const { id } = await author.create({ status: 'draft' });
    const { status, body } = await author.change(id, { labels: ['ok', 'a'.repeat(65)] });
    expect({ status, issues: issuesOf(body) }).toEqual({
      status: 422,
      issues: [['labels[1]', 'too_big']],
    });
  });
});
