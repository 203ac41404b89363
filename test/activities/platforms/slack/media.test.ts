// Images and videos to Slack: uploads, the message that shares them, and how it is found again.
import { describe, expect, test } from 'vitest';
import { checkMedia, type MediaFacts } from '../../../../activities/platforms/media-rules.ts';
import { nextPoll } from '../../../../activities/publishing/backoff.ts';
import type { Target, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { slack as definition } from '../../../../schema/platforms/slack.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startSlack } from '../../../support/networks/slack/connected.ts';

const never = new AbortController().signal;

async function start() {
  const network = await startSlack();
  const { slack, prepare } = network;
  return {
    ...network,
    /** The target with its files uploaded. */
    async upload(change: Partial<Target>): Promise<Target> {
      const target = network.target(change);
      return { ...target, state: await prepare(target) };
    },
    confirm: (target: Target) => slack.confirm!(target, never),
    commit: (target: Target) => slack.commit(target, never),
    reconcile: (target: Target) => slack.reconcile!(target, never),
    [Symbol.asyncDispose]: network[Symbol.asyncDispose],
  };
}

const video = () => createVideo({ filename: 'Fünf & "drei".mp4' });

describe('pictures', () => {
  const pictures = async (count = 1) =>
    Promise.all(
      Array.from({ length: count }, (_, at) => createImage({ altText: `Picture ${at}` })),
    );

  test('are uploaded one in each step, then shown by the blocks of one message', async () => {
    await using network = await start();
    const { server, slack, target, commit } = network;
    const media = [...(await pictures(2)), await createImage({ altText: null })];
    let post = target({ caption: 'Fish & <chips> *here*: https://example.com/a_b.', media });
    for (const count of [1, 2, 3]) {
      const step = await slack.prepare!(post, never);
      expect(step.outcome).toBe(count < 3 ? 'more' : 'prepared');
      post = { ...post, state: step.state };
    }
    expect(server.listPosts()).toEqual([]);
    const outcome = await commit(post);
    const [{ ts, options, metadata, text }] = server.messages as [(typeof server.messages)[0]];
    expect(outcome).toMatchObject({ outcome: 'published', published: { externalId: ts } });
    const files = [...server.files.keys()];
    expect(options['blocks']).toEqual([
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'Fish & <chips> *here*: ' },
              { type: 'link', url: 'https://example.com/a_b' },
              { type: 'text', text: '.' },
            ],
          },
        ],
      },
      { type: 'image', slack_file: { id: files[0] }, alt_text: 'Picture 0' },
      { type: 'image', slack_file: { id: files[1] }, alt_text: 'Picture 1' },
      { type: 'image', slack_file: { id: files[2] }, alt_text: 'image.png' },
    ]);
    expect(text).toBe('Fish &amp; &lt;chips&gt; *here*: https://example.com/a_b.');
    expect(metadata!.event_payload).toEqual({ result_id: post.resultId });
    expect(server.listPosts()).toMatchObject([
      { text: post.caption, media: media.map(({ sha256 }) => sha256) },
    ]);
  });

  test('need no caption, can reply to a post, and take the options of a text', async () => {
    await using network = await start();
    const { server, publish, upload, commit } = network;
    const replyTo = (await publish()).externalId;
    const platformOptions = { reply_broadcast: true, unfurl_links: false };
    const post = await upload({ caption: '', replyTo, media: await pictures(), platformOptions });
    expect(await commit(post)).toMatchObject({
      published: { url: expect.stringContaining('thread_ts=') },
    });
    expect(server.listPosts()[1]).toMatchObject({ text: '', replyTo, options: platformOptions });
    expect(server.messages[1]!.options['blocks']).toHaveLength(1);
  });

  test("come after the sections of an mrkdwn text, and after the client's blocks", async () => {
    await using network = await start();
    const { server, upload, commit } = network;
    const media = await pictures();
    const caption = `${'*bold* '.repeat(428)}<https://example.com|${'x'.repeat(900)}>`;
    await commit(await upload({ caption, media, platformOptions: { mrkdwn: true } }));
    const sections = server.messages[0]!.options['blocks'] as { text: { text: string } }[];
    expect(sections).toHaveLength(3);
    expect(sections[1]!.text.text).toMatch(/^<https/);
    await commit(
      await upload({ caption: 'x'.repeat(3_001), media, platformOptions: { mrkdwn: true } }),
    );
    expect(server.messages[1]!.options['blocks']).toHaveLength(3);
    const blocks = [{ type: 'divider' }];
    await commit(await upload({ caption: 'Hello', media, platformOptions: { blocks } }));
    expect(server.messages[2]).toMatchObject({
      text: 'Hello',
      options: { blocks: [...blocks, { type: 'image' }] },
    });
  });

  test('are tried again for 30 seconds while Slack processes them, then fail', async () => {
    await using network = await start();
    const { server, upload, commit } = network;
    const post = await upload({ media: await pictures() });
    server.refusesPictures = 2;
    const options = { platformCode: 'invalid_blocks' };
    expect(await refusal(commit(post))).toMatchObject({ kind: 'unavailable', options });
    const late = { ...post, state: { ...post.state, uploadedAt: Date.now() - 30_000 } };
    const error = await refusal(commit(late));
    expect(error).toMatchObject({ kind: 'rejected', options });
    expect(error.message).toContain('did not accept a picture within 30 seconds of its upload');
    expect(await commit(post)).toMatchObject({ outcome: 'published' });
    expect(server.messages).toHaveLength(1);
  });

  test("fail at once if Slack refuses the client's blocks", async () => {
    await using network = await start();
    const platformOptions = { blocks: [{ type: 'no_such_block' }] };
    const post = await network.upload({ media: await pictures(), platformOptions });
    expect(await refusal(network.commit(post))).toMatchObject({ kind: 'rejected' });
  });

  test('are found by their metadata after a lost answer, even without the state', async () => {
    await using network = await start();
    const { upload, commit, reconcile } = network;
    const media = await pictures();
    const [first, second] = [await upload({ media }), await upload({ media })];
    expect(await reconcile({ ...first, state: {} })).toEqual({ outcome: 'absent' });
    const sent = await commit(first);
    expect(await reconcile({ ...first, state: {} })).toEqual(sent);
    expect(await reconcile(second)).toEqual({ outcome: 'absent' });
  });
});

describe('files', () => {
  test('are uploaded one in each step, then shared as one message if one file is a video', async () => {
    await using network = await start();
    const { server, slack, target, commit, confirm } = network;
    const media = [await createImage({ altText: 'A & b' }), video(), await createImage()];
    let post = target({ caption: 'Fish & <chips>', media });
    for (const count of [1, 2, 3]) {
      const step = await slack.prepare!(post, never);
      expect(step.outcome).toBe(count < 3 ? 'more' : 'prepared');
      expect(step.state['files']).toHaveLength(count);
      post = { ...post, state: step.state };
    }
    expect(server.listPosts()).toEqual([]);
    expect(await commit(post)).toEqual({ outcome: 'accepted', state: post.state });
    const confirmed = await confirm(post);
    const [{ ts, files }] = server.messages as [(typeof server.messages)[0]];
    const url = `${server.team.url}archives/${server.channel}/p${ts.replace('.', '')}`;
    const published = { externalId: ts, url, visibility: 'private' };
    expect(confirmed).toEqual({ outcome: 'published', published });
    expect(server.listPosts()).toMatchObject([
      { id: ts, text: 'Fish & <chips>', media: media.map(({ sha256 }) => sha256) },
    ]);
    expect(files).toMatchObject([
      { name: 'image.png', mimetype: 'image/png', size: media[0]!.bytes },
      { name: 'Fünf & "drei".mp4', mimetype: 'video/mp4' },
      { name: 'image.png' },
    ]);
    // With an alt text, Slack may never share a file.
    expect(files!.filter((file) => 'alt_txt' in file)).toEqual([]);
    expect(server.calls).not.toContain('chat.postMessage');
  });

  test('are published at once if Slack already names their message', async () => {
    await using network = await start();
    const { server, upload, commit, connect } = network;
    server.sharesAfterReads = null;
    for (const channel of [server.channel, server.privateChannel]) {
      const { credentials } = await connect({ channel });
      const post = await upload({ media: [video()], credentials });
      const outcome = await commit(post);
      const { ts } = server.messages.at(-1)!;
      expect(outcome).toMatchObject({ outcome: 'published', published: { externalId: ts } });
    }
  });

  test('are awaited while Slack processes them', async () => {
    await using network = await start();
    const { server, upload, commit, confirm } = network;
    server.sharesAfterReads = 2;
    const post = await upload({ media: [video()] });
    await commit(post);
    const accepted = { outcome: 'accepted', state: post.state };
    expect(await confirm(post)).toEqual(accepted);
    expect(await confirm(post)).toEqual(accepted);
    expect(await confirm(post)).toMatchObject({ outcome: 'published' });
  });

  test('need no caption, can reply to a post, and can come with blocks', async () => {
    await using network = await start();
    const { server, publish, upload, commit, confirm } = network;
    const root = await publish();
    const blocks = [{ type: 'divider' }];
    const media = [video()];
    const post = await upload({
      caption: '',
      replyTo: root.externalId,
      media,
      platformOptions: { blocks },
    });
    await commit(post);
    const confirmed = await confirm(post);
    expect(confirmed).toMatchObject({ published: { url: expect.stringContaining('thread_ts=') } });
    expect(server.listPosts()[1]).toMatchObject({
      text: '',
      replyTo: root.externalId,
      options: { blocks },
    });
    // Slack ignores blocks if the message has a comment too.
    const other = await upload({ caption: 'Hello', media, platformOptions: { blocks } });
    await commit(other);
    await confirm(other);
    expect(server.listPosts()[2]).toMatchObject({ text: '', options: { blocks } });
  });

  test.each([
    [500, 'unavailable'],
    [302, 'unavailable'],
    [429, 'rate_limited'],
    [413, 'rejected'],
  ])('may get %i from the upload service, which means %s', async (status, kind) => {
    await using network = await start();
    const { server, upload } = network;
    server.answers.push(undefined, new Response('No.', { status }));
    const media = [await createImage()];
    expect((await refusal(upload({ media }))).kind).toBe(kind);
    expect(await upload({ media })).toMatchObject({ state: { files: ['F000000002'] } });
  });

  test('can be uploaded again if they did not reach the upload service', async () => {
    await using network = await start();
    const { server, upload } = network;
    const image = await createImage();
    const short = { ...image, bytes: image.bytes + 1 };
    expect((await refusal(upload({ media: [short] }))).kind).toBe('unavailable');
    const body = { ok: true, upload_url: 'http://127.0.0.1:2/upload/v1/x', file_id: 'F0' };
    server.answers.push(Response.json(body));
    expect((await refusal(upload({ media: [image] }))).kind).toBe('unavailable');
  });
});

describe('an app without files:write', () => {
  const lacksScope =
    'The Slack app lacks the bot scope files:write. Add it, install the app again, and connect the account again.';

  test('connects, posts text, and is refused media with the reason', async () => {
    await using network = await start();
    const { server, connect, publish, upload } = network;
    server.scopes = server.scopes.filter((scope) => scope !== 'files:write');
    const { traits } = await connect();
    expect(traits).toMatchObject({ canUpload: false });
    await publish();
    const error = await refusal(upload({ media: [await createImage()] }));
    // The login stays, since it is good for text.
    expect(error).toMatchObject({
      kind: 'rejected',
      message: lacksScope,
      options: { platformCode: 'missing_scope' },
    });
  });

  test('is refused media before the post is created', () => {
    const place = { path: ['media'], pathOf: (at: number) => ['media', at], autoFit: true };
    const facts = {
      kind: null,
      contentType: null,
      bytes: null,
      width: null,
      height: null,
      durationMs: null,
      altText: null,
      url: null,
    };
    const check = (canUpload: boolean) =>
      checkMedia('Slack', definition.rulesFor({ canUpload }).media, [facts], place).errors;
    expect(check(false)).toEqual([{ path: ['media'], code: 'missing_scope', message: lacksScope }]);
    expect(check(true)).toEqual([]);
  });
});

describe('a message with files whose answer was lost', () => {
  test('is found by its files, among messages with the same file names and text', async () => {
    await using network = await start();
    const { server, upload, commit, confirm, reconcile } = network;
    const media: TargetMedia[] = [video()];
    const [other, ours, absent] = [
      await upload({ media }),
      await upload({ media }),
      await upload({ media }),
    ];
    for (const post of [other, ours]) await commit(post);
    expect(await reconcile(ours)).toEqual(await confirm(ours));
    expect(await reconcile(ours)).toMatchObject({
      outcome: 'published',
      published: { externalId: server.messages[1]!.ts },
    });
    expect(await reconcile(absent)).toEqual({ outcome: 'absent' });
  });

  test('is found if the commit is repeated, which Slack refuses', async () => {
    await using network = await start();
    const { server, upload, commit, confirm } = network;
    const post = await upload({ media: [video()] });
    await commit(post);
    expect(await commit(post)).toEqual(await confirm(post));
    expect(server.messages).toHaveLength(1);
  });

  test('is found by its text and the names and sizes of its files if the file IDs were lost, or else is unknown', async () => {
    await using network = await start();
    const { upload, commit, confirm, reconcile } = network;
    const post = await upload({ caption: 'Fish & <chips>', media: [video()] });
    await commit(post);
    const published = await confirm(post);
    expect(await reconcile({ ...post, state: {} })).toEqual(published);
    const unknown = { outcome: 'unknown' };
    for (const media of [[createVideo({ filename: 'b.mp4' })], [createVideo()]]) {
      expect(await reconcile({ ...post, media, state: {} })).toEqual(unknown);
    }
    expect(await reconcile({ ...post, caption: 'Other', state: {} })).toEqual(unknown);
  });
});

describe('uploads that Slack no longer has', () => {
  test('are uploaded again', async () => {
    await using network = await start();
    const { server, upload, commit } = network;
    const post = await upload({ media: [video()] });
    server.files.clear();
    expect(await commit(post)).toEqual({ outcome: 'stale' });
    expect(await commit({ ...post, state: {} })).toEqual({ outcome: 'stale' });
    expect(server.listPosts()).toEqual([]);
  });
});

describe('the rules', () => {
  const place = { path: ['media'], pathOf: (at: number) => ['media', at], autoFit: true };
  const facts: MediaFacts = {
    kind: 'image',
    contentType: 'image/png',
    bytes: 1,
    width: 1,
    height: 1,
    durationMs: null,
    altText: null,
    url: null,
  };
  const video: MediaFacts = { ...facts, kind: 'video', contentType: 'video/mp4' };
  const check = (media: MediaFacts[], given: Record<string, unknown> = {}) =>
    checkMedia('Slack', definition.rules.media, media, {
      ...place,
      options: { path: ['platform_options'], given },
    });
  const blocks = (length: number) => Array.from({ length }, () => ({ type: 'divider' }));

  test('count each picture as a block', () => {
    expect(check([facts, facts], { blocks: blocks(48) }).errors).toEqual([]);
    const { errors } = check([facts, facts], { blocks: blocks(49) });
    const path = ['platform_options', 'blocks'];
    expect(errors).toMatchObject([{ code: 'too_many_blocks', path }]);
  });

  test('refuse the options of links and replies only if a post has a video', () => {
    const options = { unfurl_links: false, unfurl_media: true, reply_broadcast: true };
    expect(check([facts], options).errors).toEqual([]);
    const codes = check([facts, video], options).errors.map(({ code }) => code);
    expect(codes).toEqual(['not_with_media', 'not_with_media', 'not_with_media']);
  });

  test('take alt texts of pictures, and warn that a post with a video shows none', () => {
    const described = { ...facts, altText: 'a'.repeat(2_000) };
    expect(check([described])).toEqual({ errors: [], warnings: [] });
    expect(check([{ ...facts, altText: 'a'.repeat(2_001) }]).errors).toMatchObject([
      { code: 'alt_text_too_long', limit: 2_000 },
    ]);
    expect(check([described, video]).warnings).toMatchObject([
      { code: 'alt_text_ignored', message: 'Slack shows no alt texts beside a video.' },
    ]);
  });

  test('re-encode WebP, which Slack shows in no block', () => {
    const webp = { ...facts, contentType: 'image/webp' };
    expect(check([webp]).warnings).toMatchObject([{ code: 'media_fitted' }]);
  });

  test('end the wait for a video after ten minutes', () => {
    const clock = { ...defaultTargetClock, ...definition.clock };
    const waited = (ms: number) =>
      nextPoll({ confirmSinceMs: 0, confirmDelayMs: 30_000 }, clock, ms);
    expect(waited(500_000)).toMatchObject({ next: 'confirm' });
    expect(waited(600_000)).toEqual({ fail: 'outcome_unknown' });
  });
});
