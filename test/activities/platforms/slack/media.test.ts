// Images and videos to Slack: uploads, the message that shares them, and how it is found again.
import { describe, expect, test } from 'vitest';
import { checkMedia } from '../../../../activities/platforms/media-rules.ts';
import type { Target, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { slack as definition } from '../../../../schema/platforms/slack.ts';
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

describe('files', () => {
  test('are uploaded one in each step, then shared as one message', async () => {
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
      { name: 'image.png', mimetype: 'image/png', size: media[0]!.bytes, alt_txt: 'A & b' },
      { name: 'Fünf & "drei".mp4', mimetype: 'video/mp4' },
      { name: 'image.png' },
    ]);
    expect(files![1]).not.toHaveProperty('alt_txt');
    expect(server.calls).not.toContain('chat.postMessage');
  });

  test('are published at once if Slack already names their message', async () => {
    await using network = await start();
    const { server, upload, commit, connect } = network;
    server.sharesAfterReads = null;
    for (const channel of [server.channel, server.privateChannel]) {
      const { credentials } = await connect({ channel });
      const post = await upload({ media: [await createImage()], credentials });
      const outcome = await commit(post);
      const { ts } = server.messages.at(-1)!;
      expect(outcome).toMatchObject({ outcome: 'published', published: { externalId: ts } });
    }
  });

  test('are awaited while Slack processes them', async () => {
    await using network = await start();
    const { server, upload, commit, confirm } = network;
    server.sharesAfterReads = 2;
    const post = await upload({ media: [await createImage()] });
    await commit(post);
    const accepted = { outcome: 'accepted', state: post.state };
    expect(await confirm(post)).toEqual(accepted);
    expect(await confirm(post)).toEqual(accepted);
    expect(await confirm(post)).toMatchObject({ outcome: 'published' });
  });

  test('need no caption, answer a post, and may come with blocks', async () => {
    await using network = await start();
    const { server, publish, upload, commit, confirm } = network;
    const root = await publish();
    const blocks = [{ type: 'divider' }];
    const media = [await createImage()];
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
    // Slack ignores blocks beside a comment.
    const other = await upload({ caption: 'Hello', media, platformOptions: { blocks } });
    await commit(other);
    await confirm(other);
    expect(server.listPosts()[2]).toMatchObject({ text: '', options: { blocks } });
  });

  test('that Slack refuses fail with its code', async () => {
    await using network = await start();
    const error = await refusal(
      network.upload({ media: [await createImage({ altText: 'a'.repeat(1_001) })] }),
    );
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'alt_txt_too_large' },
    });
    await network.upload({ media: [await createImage({ altText: 'a'.repeat(1_000) })] });
  });

  test.each([
    [500, 'unavailable'],
    [302, 'unavailable'],
    [429, 'rate_limited'],
    [413, 'rejected'],
  ])('that the upload service answers with %i are %s', async (status, kind) => {
    await using network = await start();
    const { server, upload } = network;
    server.answers.push(undefined, new Response('No.', { status }));
    const media = [await createImage()];
    expect((await refusal(upload({ media }))).kind).toBe(kind);
    expect(await upload({ media })).toMatchObject({ state: { files: ['F000000002'] } });
  });

  test('that do not reach the upload service can be uploaded again', async () => {
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

  test('learns this before the post is created', () => {
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
  test('is found by its files, among others of the same names and text', async () => {
    await using network = await start();
    const { server, upload, commit, confirm, reconcile } = network;
    const media: TargetMedia[] = [await createImage()];
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
    const post = await upload({ media: [await createImage()] });
    await commit(post);
    expect(await commit(post)).toEqual(await confirm(post));
    expect(server.messages).toHaveLength(1);
  });

  test('is found by its text, names and sizes if the IDs were lost, and is otherwise unknown', async () => {
    await using network = await start();
    const { upload, commit, confirm, reconcile } = network;
    const post = await upload({ caption: 'Fish & <chips>', media: [await createImage()] });
    await commit(post);
    const published = await confirm(post);
    expect(await reconcile({ ...post, state: {} })).toEqual(published);
    const unknown = { outcome: 'unknown' };
    for (const media of [[await createImage({ filename: 'b.png' })], [video()]]) {
      expect(await reconcile({ ...post, media, state: {} })).toEqual(unknown);
    }
    expect(await reconcile({ ...post, caption: 'Other', state: {} })).toEqual(unknown);
  });
});

describe('uploads that Slack no longer has', () => {
  test('are uploaded again', async () => {
    await using network = await start();
    const { server, upload, commit } = network;
    const post = await upload({ media: [await createImage()] });
    server.files.clear();
    expect(await commit(post)).toEqual({ outcome: 'stale' });
    expect(await commit({ ...post, state: {} })).toEqual({ outcome: 'stale' });
    expect(server.listPosts()).toEqual([]);
  });
});
