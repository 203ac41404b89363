// Labels, gates and quotes of posts on Bluesky, at its own server, which checks them against its lexicons.
import { afterAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import type { Target } from '../../../activities/platforms/platform.ts';
import { bluesky as definition } from '../../../schema/platforms/bluesky.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../support/media/target-media.ts';
import { formOf } from '../../support/networks/connection.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';
import { startBlueskyPds } from '../../support/servers/bluesky-pds.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startBlueskyPds();
if ('skipped' in started) console.warn(`No Bluesky server here: ${started.skipped}`);
const pds = 'skipped' in started ? undefined : started;
afterAll(() => pds?.stop());

const signal = AbortSignal.timeout(120_000);
const dueAt = new Date('2026-11-27T08:30:00.123Z');
let accountCount = 0;

interface Stored {
  uri: string;
  cid: string;
  value: Record<string, unknown>;
}

async function createAuthor() {
  const { url: apiUrl, plcUrl } = pds!;
  const bluesky = createBluesky({ fetch, apiUrl, plcUrl, lookUpTxt: txtOf({}) });
  const account = await pds!.createAccount(`gates${++accountCount}.test`, 'correct-horse-battery');
  const credentials = { handle: account.handle, app_password: account.appPassword };
  const connection = await formOf(bluesky).run(credentials, signal);

  async function prepare(platformOptions: object, change: Partial<Target> = {}): Promise<Target> {
    const given = { platformOptions: { ...platformOptions }, dueAt, ...change };
    const target = targetOf(connection, given);
    return { ...target, state: await prepareTarget(bluesky, target, signal) };
  }

  async function list(collection: string): Promise<Stored[]> {
    const query = new URLSearchParams({ repo: account.did, collection });
    const response = await fetch(`${apiUrl}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
    return ((await response.json()) as { records: Stored[] }).records;
  }

  async function post(platformOptions: object, change: Partial<Target> = {}): Promise<Stored> {
    const outcome = await bluesky.commit(await prepare(platformOptions, change), signal);
    if (outcome.outcome !== 'published') return expect.fail(outcome.outcome);
    const posts = await list('app.bsky.feed.post');
    return posts.find(({ uri }) => uri === outcome.published.externalId)!;
  }

  const { handle, did } = account;
  return { bluesky, connection, handle, did, prepare, list, post };
}

const keyOf = ({ uri }: Stored) => uri.split('/').at(-1)!;

describe.skipIf(!pds).concurrent('labels', () => {
  test('arrive as labels of the author', async () => {
    const { post } = await createAuthor();
    const { value } = await post({ labels: ['nudity', 'graphic-media'] });
    expect(value['labels']).toEqual({
      $type: 'com.atproto.label.defs#selfLabels',
      values: [{ val: 'nudity' }, { val: 'graphic-media' }],
    });
  });
});

describe.skipIf(!pds).concurrent('gates', () => {
  test('have the key of their post, and are written together with it', async () => {
    const { bluesky, prepare, list } = await createAuthor();
    const members = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.graph.list/3l6oveex3ii2l';
    const target = await prepare({
      threadgate: { allow: ['mention', 'followers', 'following'], lists: [members] },
      postgate: { disable_quotes: true },
    });
    const { published } = (await bluesky.commit(target, signal)) as { published: object };
    const [post, ...others] = await list('app.bsky.feed.post');
    expect([others, published]).toEqual([[], expect.objectContaining({ externalId: post!.uri })]);
    const [threadgate] = await list('app.bsky.feed.threadgate');
    const [postgate] = await list('app.bsky.feed.postgate');
    expect([keyOf(threadgate!), keyOf(postgate!)]).toEqual([keyOf(post!), keyOf(post!)]);
    const createdAt = dueAt.toISOString();
    expect(threadgate!.value).toEqual({
      $type: 'app.bsky.feed.threadgate',
      post: post!.uri,
      createdAt,
      allow: [
        { $type: 'app.bsky.feed.threadgate#mentionRule' },
        { $type: 'app.bsky.feed.threadgate#followerRule' },
        { $type: 'app.bsky.feed.threadgate#followingRule' },
        { $type: 'app.bsky.feed.threadgate#listRule', list: members },
      ],
    });
    expect(postgate!.value).toEqual({
      $type: 'app.bsky.feed.postgate',
      post: post!.uri,
      createdAt,
      embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }],
    });
  });

  test('are written once, and a repeat leads to the post', async () => {
    const { bluesky, prepare, list } = await createAuthor();
    const target = await prepare({ threadgate: { allow: [] } });
    expect(await bluesky.reconcile!(target, signal)).toEqual({ outcome: 'absent' });
    const outcome = await bluesky.commit(target, signal);
    expect(await refusal(bluesky.commit(target, signal))).toMatchObject({
      kind: 'unknown_outcome',
    });
    expect(await bluesky.reconcile!(target, signal)).toEqual(outcome);
    expect(await list('app.bsky.feed.post')).toHaveLength(1);
    const [gate] = await list('app.bsky.feed.threadgate');
    expect(gate!.value['allow']).toEqual([]);
  });

  test('are not written without their post', async () => {
    const { bluesky, prepare, list } = await createAuthor();
    const target = await prepare({ threadgate: { allow: [] } }, { caption: 'x'.repeat(301) });
    expect(await refusal(bluesky.commit(target, signal))).toMatchObject({ kind: 'rejected' });
    expect(await list('app.bsky.feed.threadgate')).toEqual([]);
  });

  test('upload a deleted file again, like any post', async () => {
    const { bluesky, prepare } = await createAuthor();
    const image = await createImage({ contentType: 'image/jpeg' });
    const target = await prepare({ postgate: { disable_quotes: true } }, { media: [image] });
    const record = target.state['record'] as { embed: { images: { image: { ref: object } }[] } };
    record.embed.images[0]!.image.ref = {
      $link: 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq',
    };
    expect(await bluesky.commit(target, signal)).toEqual({ outcome: 'stale' });
  });

  test('of replies limit only quotes', async () => {
    const { post, list } = await createAuthor();
    const first = await post({});
    const options = { threadgate: { allow: [] }, postgate: { disable_quotes: true } };
    const reply = await post(options, { replyTo: first.uri });
    expect(await list('app.bsky.feed.threadgate')).toEqual([]);
    expect((await list('app.bsky.feed.postgate')).map(keyOf)).toEqual([keyOf(reply)]);
  });

  test('are removed with their post, also if one is already gone', async () => {
    const { bluesky, connection, post, list } = await createAuthor();
    const options = { threadgate: { allow: [] }, postgate: { disable_quotes: true } };
    const removed = await post(options);
    const kept = await post({ threadgate: { allow: [] } });
    const remove = ({ uri: externalId }: Stored) => {
      const target = { ...targetOf(connection), altTexts: [], publishedAt: null };
      return bluesky.unpublish!.remove({ ...target, externalId }, signal);
    };
    await remove(removed);
    expect(await list('app.bsky.feed.postgate')).toEqual([]);
    expect((await list('app.bsky.feed.threadgate')).map(keyOf)).toEqual([keyOf(kept)]);
    await remove(kept);
    await remove(kept);
    expect(await list('app.bsky.feed.post')).toEqual([]);
    expect(await list('app.bsky.feed.threadgate')).toEqual([]);
  });

  test('are absent if they limit nothing', async () => {
    const { post, list } = await createAuthor();
    await post({ postgate: { disable_quotes: false } });
    expect(await list('app.bsky.feed.postgate')).toEqual([]);
  });
});

describe.skipIf(!pds).concurrent('a quote', () => {
  test.each(['at', 'handle', 'did'])('names its post by %s', async (form) => {
    const [ada, bob] = await Promise.all([createAuthor(), createAuthor()]);
    const quoted = await bob.post({});
    const address = (author: string) => `https://bsky.app/profile/${author}/post/${keyOf(quoted)}`;
    const forms = { at: quoted.uri, handle: address(bob.handle), did: address(bob.did) };
    const { value } = await ada.post({ quote: forms[form as keyof typeof forms] });
    const { uri, cid } = quoted;
    expect(value['embed']).toEqual({ $type: 'app.bsky.embed.record', record: { uri, cid } });
  });

  test.each<[string, number, string, object]>([
    ['images', 2, 'app.bsky.embed.images', {}],
    ['a gallery', 5, 'app.bsky.embed.gallery', {}],
    ['a link card', 0, 'app.bsky.embed.external', { link: { url: 'https://example.com' } }],
  ])('has %s beside it', async (_, count, $type, options) => {
    const { post } = await createAuthor();
    const { uri, cid } = await post({});
    const media = await Promise.all(
      Array.from({ length: count }, () => createImage({ contentType: 'image/jpeg' })),
    );
    const { value } = await post({ ...options, quote: uri }, { media });
    expect(value['embed']).toMatchObject({
      $type: 'app.bsky.embed.recordWithMedia',
      record: { $type: 'app.bsky.embed.record', record: { uri, cid } },
      media: { $type },
    });
  });

  test('has a video beside it', async () => {
    const { post } = await createAuthor();
    const { uri } = await post({});
    const { value } = await post({ quote: uri }, { media: [createVideo()] });
    expect(value['embed']).toMatchObject({ media: { $type: 'app.bsky.embed.video' } });
  });

  test('of a missing post is refused before anything is published', async () => {
    const { did, prepare } = await createAuthor();
    const quote = `at://${did}/app.bsky.feed.post/3l6oveex3ii2l`;
    expect(await refusal(prepare({ quote }))).toMatchObject({
      kind: 'rejected',
      message: 'The post to quote is not on Bluesky.',
      options: { platformCode: 'quote_not_found' },
    });
  });
});

describe('the rules', () => {
  const list = (key: number) => `at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.graph.list/${key}`;

  test.each<[object, boolean]>([
    [{ labels: ['porn', 'sexual'] }, true],
    [{ labels: [] }, false],
    [{ labels: ['porn', 'porn'] }, false],
    [{ labels: ['gore'] }, false],
    [{ threadgate: { allow: [] } }, true],
    [{ threadgate: {} }, false],
    [{ threadgate: { allow: ['mention', 'mention'] } }, false],
    [{ threadgate: { allow: ['mention'], lists: [1, 2, 3, 4].map(list) } }, true],
    [{ threadgate: { allow: ['mention'], lists: [1, 2, 3, 4, 5].map(list) } }, false],
    [{ threadgate: { allow: [], lists: ['https://bsky.app/profile/a.test/lists/1'] } }, false],
    [{ postgate: { disable_quotes: true } }, true],
    [{ postgate: {} }, false],
    [{ quote: 'https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l' }, true],
    [{ quote: 'at://did:web:example.com/app.bsky.feed.post/3l6oveex3ii2l' }, true],
    [{ quote: 'https://example.com/profile/bsky.app/post/3l6oveex3ii2l' }, false],
    [{ quote: 'https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l?ref=a' }, false],
  ])('take the options %j: %s', (given, isTaken) => {
    expect(definition.options.safeParse(given).success).toBe(isTaken);
  });

  test.each([
    [{ isReply: false }, []],
    [{ isReply: true }, ['option_ignored']],
    [{ isReply: false, isLaterPart: true }, ['option_ignored']],
  ])('warn that a reply has no threadgate: %j', (place, codes) => {
    const post = { caption: 'a', media: [], firstComment: null, ...place };
    const options = { threadgate: { allow: [] } };
    const findings = definition.rules.check({ ...post, options });
    expect(findings.map(({ code }) => code)).toEqual(codes);
    expect(definition.rules.check({ ...post, options: {} })).toEqual([]);
  });
});
