// How a post to X is found after its answer was lost, where the operator pays for reading posts.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { twitter } from '../../../../schema/platforms/twitter.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { startTwitter } from '../../../support/networks/twitter/connected.ts';

type X = Awaited<ReturnType<typeof startTwitter>>;

/** With letters that aren't ASCII: the first is longer than a word that is compared as it is, the last has them in its host. */
const links = [
  'https://de.wikipedia.org/wiki/Liste_der_größten_Unternehmen_in_Deutschland_nach_Umsatz',
  'de.wikipedia.org/wiki/Liste_der_größten_Unternehmen_in_Deutschland_nach_Umsatz',
  'https://de.wikipedia.org/wiki/Größe',
  'https://österreich.at/größe',
];

const absent = { outcome: 'absent' };
const unknown = { outcome: 'unknown' };

async function expectFound({ reconcile }: X, target: Target, externalId: string): Promise<void> {
  expect(await reconcile(target)).toMatchObject({
    outcome: 'published',
    published: { externalId },
  });
}

describe('a search', () => {
  test('is made unless the operator refuses it', async () => {
    expect(twitter.settings.reconcile.parse(undefined)).toBe('read');
    await using blind = await startTwitter({ reconcile: 'none' });
    expect(blind.twitter.reconcile).toBeUndefined();
    await using reading = await startTwitter({ reconcile: 'read' });
    expect(reading.twitter.reconcile).toBeDefined();
  });

  test('reads the posts since the due time, and nothing before', async () => {
    await using x = await startTwitter();
    const dueAt = new Date('2026-11-22T10:00:30.500Z');
    x.network.addPost({ text: 'Hello', createdAtMs: dueAt.getTime() - 61_000 });
    expect(await x.reconcile(x.target({ dueAt }))).toEqual(absent);
    const { searchParams } = new URL(x.network.requests[0]!.url);
    expect(Object.fromEntries(searchParams.entries())).toEqual({
      max_results: '100',
      start_time: '2026-11-22T09:59:30Z',
      exclude: 'retweets',
      'post.fields': 'attachments,entities,note_post,referenced_posts',
    });
  });

  test('asks again with the older names of the fields if X knows only these', async () => {
    await using x = await startTwitter();
    x.network.knows = 'tweet';
    const { id } = x.network.addPost({ text: 'Hello', replyTo: '1' });
    x.network.addPost({ text: 'Hello' });
    const caption = 'A long text. '.repeat(30);
    const long = x.network.addPost({ text: caption.trim() });
    await expectFound(x, x.target({ replyTo: '1' }), id);
    await expectFound(x, x.target({ caption }), long.id);
    expect(x.network.requests.map(({ url }) => /(post|tweet)\.fields/.exec(url)![1])).toEqual([
      'post',
      'tweet',
      'post',
      'tweet',
    ]);
  });

  test('asks only once if X refuses for another reason', async () => {
    await using x = await startTwitter();
    x.network.nextAnswer = Response.json({ title: 'Forbidden', detail: 'No.' }, { status: 403 });
    expect(await refusal(x.reconcile(x.target()))).toMatchObject({ kind: 'rejected' });
    expect(x.network.requests).toHaveLength(1);
  });

  test('finds the first of equal posts', async () => {
    await using x = await startTwitter();
    const { id } = x.network.addPost({ text: 'Hello' });
    x.network.addPost({ text: 'Hello' });
    await expectFound(x, x.target(), id);
  });

  test.each([
    'Fish & <chips> &amp; "peas"',
    '  Spaces  and\r\n\nlines  ',
    'cafe\u0301 👨‍👩‍👧‍👦',
    'See https://example.com/a?b=c&d=e#f, example.org and https://EXAMPLE.net.',
    'https://example.com/ and https://example.com',
    '$& $1 https://example.com/$&',
    '@ada_l, look',
    ...links.map((link) => `See ${link}, please`),
  ])('finds %j as X shows it', async (caption) => {
    await using x = await startTwitter();
    const target = x.target({ caption });
    await x.commit(target);
    await expectFound(x, target, x.network.posts[0]!.id);
    expect(await x.reconcile(x.target({ caption: `${caption}!` }))).toEqual(absent);
  });

  test.each(links)('finds %j as a percent-encoded URL', async (link) => {
    await using x = await startTwitter();
    x.network.expand = (url) => new URL(url.replace(/^(?!https?:)/, 'http://')).href;
    const target = x.target({ caption: link });
    await x.commit(target);
    await expectFound(x, target, x.network.posts[0]!.id);
  });

  test("accepts X's own form of a URL, but no other URL", async () => {
    await using x = await startTwitter();
    x.network.expand = (url) => `${url.replace('https:', 'http:')}/`;
    const target = x.target({ caption: 'See https://example.com/a' });
    await x.commit(target);
    await expectFound(x, target, x.network.posts[0]!.id);
    expect(await x.reconcile(x.target({ caption: 'See https://example.com/b' }))).toEqual(unknown);
    expect(await x.reconcile(x.target({ caption: 'See nothing' }))).toEqual(absent);
  });

  test('compares the replied-to post and the poll', async () => {
    await using x = await startTwitter();
    const [one, two] = [x.network.addPost({ text: '1' }), x.network.addPost({ text: '2' })];
    const poll = { options: ['a', 'b'], duration_minutes: 5 };
    const reply = x.network.addPost({ text: 'Hello', replyTo: one.id });
    const asked = x.network.addPost({ text: 'Which?', options: { poll } });
    await expectFound(x, x.target({ replyTo: one.id }), reply.id);
    expect(await x.reconcile(x.target({ replyTo: two.id }))).toEqual(absent);
    expect(await x.reconcile(x.target())).toEqual(absent);
    const platformOptions = { poll };
    await expectFound(x, x.target({ caption: 'Which?', platformOptions }), asked.id);
    expect(await x.reconcile(x.target({ caption: 'Which?' }))).toEqual(absent);
    expect(await x.reconcile(x.target({ platformOptions }))).toEqual(absent);
  });

  test('compares the media by their IDs', async () => {
    await using x = await startTwitter();
    const media = [await createImage(), await createImage()];
    const [ours, others] = [
      await x.prepare(x.target({ caption: '', media })),
      await x.prepare(x.target({ caption: '', media })),
    ];
    await x.commit(others);
    expect(await x.reconcile(ours)).toEqual(absent);
    await x.commit(ours);
    await expectFound(x, ours, x.network.posts[1]!.id);
    expect(await x.reconcile(x.target({ caption: '' }))).toEqual(absent);
  });

  test('compares the number of media if their IDs were lost and the post has a text', async () => {
    await using x = await startTwitter();
    const media = [await createImage()];
    for (const caption of ['', 'Hello']) {
      await x.commit(await x.prepare(x.target({ caption, media })));
    }
    await expectFound(x, x.target({ media }), x.network.posts[1]!.id);
    expect(await x.reconcile(x.target({ caption: '', media }))).toEqual(unknown);
    expect(await x.reconcile(x.target({ media: [...media, ...media] }))).toEqual(absent);
  });

  test('returns unknown if there are too many posts', async () => {
    await using x = await startTwitter();
    x.network.maxPage = 2;
    const { id } = x.network.addPost({ text: 'Oldest' });
    for (const text of ['b', 'c']) x.network.addPost({ text });
    expect(await x.reconcile(x.target())).toEqual(unknown);
    x.network.maxPage = 3;
    expect(await x.reconcile(x.target())).toEqual(absent);
    await expectFound(x, x.target({ caption: 'Oldest' }), id);
  });

  test('is repeated if it fails', async () => {
    await using x = await startTwitter();
    x.network.nextAnswer = x.network.refuse('unavailable');
    expect((await refusal(x.reconcile(x.target()))).kind).toBe('unavailable');
  });
});

describe('the refusal of an equal text', () => {
  test('finds the post of an earlier commit', async () => {
    await using x = await startTwitter();
    const target = x.target();
    await x.commit(target);
    const [post, ...others] = x.network.posts;
    expect(await x.commit(target)).toMatchObject({
      outcome: 'published',
      published: { externalId: post!.id },
    });
    expect(others).toEqual([]);
  });

  test('is a rejection if the equal post is older than the target', async () => {
    await using x = await startTwitter();
    x.network.addPost({ text: 'Hello', createdAtMs: Date.now() - 3_600_000 });
    const error = await refusal(x.commit(x.target()));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('duplicate content'),
      options: { platformCode: 'duplicate' },
    });
  });

  test('leaves the outcome unknown if no search can tell', async () => {
    await using x = await startTwitter();
    x.network.maxPage = 1;
    const target = x.target();
    await x.commit(target);
    x.network.addPost({ text: 'Another' });
    expect(await refusal(x.commit(target))).toMatchObject({
      kind: 'unknown_outcome',
      options: { platformCode: 'duplicate' },
    });
  });

  test.each([
    ['rejected', 'rejected', 'duplicate'],
    ['unavailable', 'unavailable', '503'],
    ['limited', 'rate_limited', '429'],
  ] as const)('with a search that is %s is %s', async (kind, meaning, platformCode) => {
    await using x = await startTwitter();
    const target = x.target();
    await x.commit(target);
    x.network.intercept = ({ method }) => (method === 'GET' ? x.network.refuse(kind) : undefined);
    const error = await refusal(x.commit(target));
    expect(error).toMatchObject({ kind: meaning, options: { platformCode } });
  });

  test('causes no search if the operator turned searches off', async () => {
    await using x = await startTwitter({ reconcile: 'none' });
    const target = x.target();
    await x.commit(target);
    expect(await refusal(x.commit(target))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'duplicate' },
    });
    expect(x.network.calls).toEqual(['POST /2/tweets', 'POST /2/tweets']);
  });
});
