// Images and videos to Discord: the request, the limits, and how a message with files is found again.
import { describe, expect, test } from 'vitest';
import { checkMedia } from '../../../../activities/platforms/media-rules.ts';
import type { TargetMedia } from '../../../../activities/platforms/platform.ts';
import { discord as definition } from '../../../../schema/platforms/discord.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { connected, never } from '../../../support/networks/discord/connected.ts';

const mebibyte = 1_048_576;

/** Zeros, which are made as they are read. */
function zeros(bytes: number): Promise<TargetMedia> {
  const blob = new Blob([new Uint8Array(bytes)]);
  return createImage({ bytes, open: () => blob.stream(), altText: null });
}

describe.each(['bot', 'webhook'] as const)('a %s', (via) => {
  test('sends files with their names, their types and their alt texts', async () => {
    await using started = await connected(via);
    const { discord, target, connector, seen } = started;
    const media = [
      await createImage({ altText: 'Zwölf\n"Boxkämpfer"' }),
      createVideo({ filename: 'a "film" ü.mp4' }),
    ];
    await connector.commit(target('Hello', { media }), never);
    expect(seen.at(-1)!.headers.get('content-length')).toMatch(/^\d+$/);
    expect(discord.listPosts()).toMatchObject([
      {
        text: 'Hello',
        media: media.map(({ sha256 }) => sha256),
        options: { allowed_mentions: { parse: ['users'] } },
      },
    ]);
    const [message] = discord.messages;
    expect(message!.attachments).toEqual([
      {
        id: '0',
        filename: 'image.png',
        size: media[0]!.bytes,
        content_type: 'image/png',
        description: 'Zwölf\n"Boxkämpfer"',
      },
      { id: '1', filename: 'a "film" ü.mp4', size: media[1]!.bytes, content_type: 'video/mp4' },
    ]);
  });

  test('sends ten files without a text', async () => {
    await using started = await connected(via);
    const { discord, target, connector } = started;
    const media = Array<TargetMedia>(10).fill(await createImage());
    await connector.commit(target('', { media }), never);
    expect(discord.messages[0]).toMatchObject({ content: '' });
    expect(discord.messages[0]!.attachments).toHaveLength(10);
  });

  test('sends as much as the rules allow in one request', async () => {
    await using started = await connected(via);
    const { discord, target, connector } = started;
    const most = await zeros(definition.rules.media!.image!.maxBytes!);
    const rest = await zeros(25 * mebibyte - 100_000 - 2 * most.bytes);
    await connector.commit(target('Hello', { media: [most, most, rest] }), never);
    expect(discord.messages).toHaveLength(1);
  });

  test("passes on Discord's refusal of a file", async () => {
    await using started = await connected(via);
    const { target, connector } = started;
    const media = [await zeros(10 * mebibyte + 1)];
    const error = await refusal(connector.commit(target('Hello', { media }), never));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '40005' } });
  });
});

test('the rules limit the size of all files together, as they are after fitting', () => {
  const path = ['media'];
  const place = { path, pathOf: (at: number) => [...path, at], autoFit: true };
  const check = (...sizes: number[]) =>
    checkMedia(
      'Discord',
      definition.rules.media,
      sizes.map((bytes) => ({
        kind: 'image',
        contentType: 'image/png',
        bytes,
        width: 9,
        height: 9,
        durationMs: null,
        altText: null,
        url: null,
      })),
      place,
    ).errors;
  const rest = 5 * mebibyte - 100_000;
  expect(check(10 * mebibyte, 10 * mebibyte, rest)).toEqual([]);
  const message = 'Discord accepts at most 25 MiB of media per post.';
  expect(check(10 * mebibyte, 10 * mebibyte, rest + 1)).toEqual([
    { path, code: 'media_too_large', message },
  ]);
  expect(check(200 * mebibyte)).toEqual([]);
});

describe('a message with files whose answer was lost', () => {
  test('is repeated with the same nonce, so it is posted once', async () => {
    await using started = await connected('bot');
    const { discord, target, connector, scripted } = started;
    const post = target('Hello', { media: [await createImage()] });
    scripted.push('lost');
    expect(await refusal(connector.commit(post, never))).toMatchObject({ kind: 'unknown_outcome' });
    expect(await connector.commit(post, never)).toMatchObject({
      published: { externalId: discord.messages[0]!.id },
    });
    expect(discord.messages).toHaveLength(1);
  });

  test.each([
    ['with', true],
    ['without', false],
  ])('is found among messages with the same text, %s nonces', async (_, showsNonce) => {
    await using started = await connected('bot');
    const { discord, target, connector } = started;
    discord.showsNonce = showsNonce;
    const [one, other] = [await createImage(), await zeros(123)];
    const commit = (media: TargetMedia[]) => connector.commit(target('Hello', { media }), never);
    await commit([]);
    await commit([one, other]);
    await commit([other]);
    const ours = target('Hello', { media: [one] });
    await connector.commit(ours, never);
    expect(await connector.reconcile!(ours, never)).toMatchObject({
      outcome: 'published',
      published: { externalId: discord.messages[3]!.id },
    });
  });

  test('is absent among messages with more or fewer files', async () => {
    await using started = await connected('bot');
    const { target, connector } = started;
    const image = await createImage();
    await connector.commit(target('Hello'), never);
    await connector.commit(target('Hello', { media: [image, image] }), never);
    const ours = target('Hello', { media: [image] });
    expect(await connector.reconcile!(ours, never)).toEqual({ outcome: 'absent' });
  });

  test('is unknown if a message of the same text has a file of another size', async () => {
    await using started = await connected('bot');
    const { target, connector } = started;
    await connector.commit(target('Hello', { media: [await zeros(123)] }), never);
    const ours = target('Hello', { media: [await createImage()] });
    expect(await connector.reconcile!(ours, never)).toEqual({ outcome: 'unknown' });
  });
});
