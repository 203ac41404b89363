// Images and videos to Telegram: single, in albums, and what Telegram refuses.
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkMedia } from '../../../../activities/platforms/media-rules.ts';
import type { Target, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { createTelegram } from '../../../../activities/platforms/telegram/index.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { telegram as definition } from '../../../../schema/platforms/telegram.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { startFaultyServer, type FaultyServer } from '../../../support/networks/faulty-server.ts';
import { targetOf } from '../../../support/networks/target.ts';
import { channel, createTelegramServer } from '../../../support/networks/telegram/server.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

let network: ReturnType<typeof createTelegramServer>;
let server: FaultyServer;

beforeEach(async () => {
  network = createTelegramServer();
  server = await startFaultyServer(network, createSwitchboard());
});
afterEach(() => server.close());

const never = new AbortController().signal;

function commit(media: TargetMedia[], change: Partial<Target> = {}) {
  const connection = {
    externalAccountId: String(channel.id),
    accountName: `@${channel.username}`,
    credentials: { bot_token: network.token, chat: String(channel.id) },
    scope: [],
    tokenExpiresAt: null,
  };
  const target = targetOf(connection, { media, ...change });
  return createTelegram({ fetch, apiUrl: server.url }).commit(target, never);
}

const bytesOf = async (media: TargetMedia) =>
  Buffer.from(await new Response(media.open()).arrayBuffer());

const image = (change?: Partial<TargetMedia>) => createImage({ altText: null, ...change });

async function imageOf(format: 'jpeg' | 'png' | 'gif' | 'webp', width = 20, height = 10) {
  const create = { width, height, channels: 3, background: 'red' } as const;
  const blob = new Blob([new Uint8Array(await sharp({ create }).toFormat(format).toBuffer())]);
  // An image of noise in this size would take seconds.
  return {
    ...(await image()),
    contentType: `image/${format}`,
    filename: `image.${format}`,
    bytes: blob.size,
    width,
    height,
    open: () => blob.stream(),
  };
}

const video = (change?: Partial<TargetMedia>) =>
  createVideo({ width: 640, height: 360, durationMs: 2_600, ...change });

describe('one medium', () => {
  test('is a photo with its caption', async () => {
    const photo = await image({ filename: 'a "b".png' });
    expect(await commit([photo], { caption: 'Two\nlines "1" {2}' })).toEqual({
      outcome: 'published',
      published: { externalId: '101', url: 'https://t.me/fanfare_news/101', visibility: 'public' },
    });
    expect(network.calls).toEqual(['sendPhoto']);
    expect(network.listPosts()).toMatchObject([
      { id: '101', text: 'Two\nlines "1" {2}', media: [photo.sha256], replyTo: null },
    ]);
    expect(network.listMedia()).toEqual([
      [
        {
          type: 'photo',
          filename: 'a "b".png',
          contentType: 'image/png',
          bytes: await bytesOf(photo),
        },
      ],
    ]);
  });

  test('needs no caption', async () => {
    await commit([await image()], { caption: '' });
    expect(network.listPosts()).toMatchObject([{ text: '' }]);
  });

  test('carries the options, except those of link previews', async () => {
    const root = await commit([await image()]);
    const replyTo = root.outcome === 'published' ? root.published.externalId : null;
    await commit([await image()], {
      caption: '<b>News</b>',
      replyTo,
      platformOptions: {
        parse_mode: 'HTML',
        disable_link_preview: true,
        disable_notification: true,
        protect_content: true,
        message_thread_id: 7,
      },
    });
    const { options } = network.listPosts()[1]!;
    expect(network.listPosts()[1]).toMatchObject({ text: '<b>News</b>', replyTo });
    expect(options).toMatchObject({
      parse_mode: 'HTML',
      disable_notification: true,
      protect_content: true,
      message_thread_id: 7,
    });
    expect(options).not.toHaveProperty('link_preview_options');
  });

  test('is a video with its size, its duration and its cover', async () => {
    const cover = await imageOf('jpeg', 640, 360);
    const film = video({ thumbnail: cover });
    await commit([film]);
    expect(network.calls).toEqual(['sendVideo']);
    expect(network.listPosts()).toMatchObject([
      { options: { width: 640, height: 360, duration: 3, supports_streaming: true } },
    ]);
    expect(network.listMedia()).toMatchObject([
      [{ type: 'video', bytes: await bytesOf(film), cover: await bytesOf(cover) }],
    ]);
  });

  test('is an animation if it is a GIF', async () => {
    const gif = await imageOf('gif');
    await commit([gif]);
    expect(network.calls).toEqual(['sendAnimation']);
    expect(network.listMedia()).toMatchObject([[{ type: 'animation', bytes: await bytesOf(gif) }]]);
  });
});

describe('an album', () => {
  test('mixes photos and videos in their order, with the caption on the first', async () => {
    const cover = await imageOf('jpeg');
    const media = [await image(), video({ thumbnail: cover }), await imageOf('jpeg')];
    const outcome = await commit(media, {
      caption: '*bold*',
      platformOptions: { parse_mode: 'MarkdownV2', protect_content: true },
    });
    expect(outcome).toMatchObject({ published: { externalId: '101' } });
    expect(network.calls).toEqual(['sendMediaGroup']);
    expect(network.listPosts()).toMatchObject([
      { text: '*bold*', options: { parse_mode: 'MarkdownV2', protect_content: true } },
    ]);
    const [received] = network.listMedia();
    expect(received!.map(({ type }) => type)).toEqual(['photo', 'video', 'photo']);
    expect(received!.map(({ bytes }) => bytes)).toEqual(await Promise.all(media.map(bytesOf)));
    expect(received![1]!.cover).toEqual(await bytesOf(cover));
  });

  test('accepts ten media', async () => {
    await commit(Array<TargetMedia>(10).fill(await image()));
    expect(network.listMedia()[0]).toHaveLength(10);
    expect(network.calls).toEqual(['sendMediaGroup']);
  });
});

describe('Telegram refuses', () => {
  test("a photo that it can't read", async () => {
    const error = await refusal(commit([await imageOf('webp')]));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '400' } });
    expect(error.message).toContain('PHOTO_EXT_INVALID');
    expect(network.listPosts()).toEqual([]);
  });

  test('a long caption, counted as the rules do', async () => {
    const caption = '😀'.repeat(1_025);
    const error = await refusal(commit([await image()], { caption }));
    expect(error.message).toContain('message caption is too long');
    const path = ['caption'];
    const issues = checkText(definition, caption, { path, media: [{ url: null }] });
    expect(issues).toMatchObject([{ code: 'caption_too_long', actual: 1_025, limit: 1_024 }]);
    await commit([await image()], { caption: '😀'.repeat(1_024) });
    expect(network.listPosts()).toHaveLength(1);
  });

  test('photos that break the rules, and no photo that keeps them', async () => {
    const rules = definition.rules.media.image!;
    const [width, height] = [rules.maxWidth!, rules.maxHeight!];
    await commit([await imageOf('png', width, height)]);
    await commit([await imageOf('png', width, width / rules.maxRatio!)]);
    const wide = await refusal(commit([await imageOf('png', width, width / rules.maxRatio! - 1)]));
    expect(wide.message).toContain('PHOTO_INVALID_DIMENSIONS');
  });
});

describe('the rules', () => {
  const place = { path: ['media'], pathOf: (at: number) => ['media', at], autoFit: true };
  const facts = { kind: 'image', bytes: 1, width: 9, height: 9, durationMs: null } as const;
  const factsOf = (contentType: string) => ({ ...facts, contentType, altText: null, url: null });

  test('refuse a GIF in an album before the post is created', () => {
    const album = [factsOf('image/gif'), factsOf('image/png')];
    const { errors } = checkMedia('Telegram', definition.rules.media, album, place);
    const message = 'Telegram accepts a GIF only without other media.';
    expect(errors).toEqual([{ path: ['media'], code: 'gif_not_alone', message }]);
    const alone = checkMedia('Telegram', definition.rules.media, album.slice(0, 1), place);
    expect(alone.errors).toEqual([]);
  });

  test('warn of alt texts, which Telegram does not have', () => {
    const media = [{ ...factsOf('image/png'), altText: 'A cat' }];
    const { warnings } = checkMedia('Telegram', definition.rules.media, media, place);
    expect(warnings).toMatchObject([{ code: 'alt_text_ignored' }]);
  });
});
