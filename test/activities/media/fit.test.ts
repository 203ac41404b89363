// Images that are fitted to limits.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { encodeImage } from '../../../activities/media/images/encode.ts';
import { MediaError } from '../../../activities/media/media-error.ts';
import { cleaningPlan, type FitPlan } from '../../../activities/platforms/media-rules.ts';
import { fitBytes, probeSource, type FittedBytes } from '../../support/media/images.ts';
import { animation, bytesSource, noise } from '../../support/media/samples.ts';

const noLimits = { maxBytes: null, maxWidth: null, maxHeight: null, maxPixels: null };

const fit = (bytes: Buffer, plan: Partial<FitPlan> = {}) =>
  fitBytes(bytes, { contentType: 'image/jpeg', ...noLimits, ...plan });

/** Its own facts must be those of its bytes. */
async function expectTrue(fitted: FittedBytes): Promise<void> {
  expect(await probeSource(bytesSource(fitted.bytes))).toEqual({
    kind: 'image',
    contentType: fitted.contentType,
    width: fitted.width,
    height: fitted.height,
    durationMs: null,
    needsCleaning: false,
  });
}

const encoders: Record<string, (image: Sharp) => Sharp> = {
  'image/jpeg': (image) => image.jpeg(),
  'image/png': (image) => image.png(),
  'image/webp': (image) => image.webp(),
  'image/avif': (image) => image.avif({ effort: 0 }),
};
const types = Object.keys(encoders);

describe('limits', () => {
  test.each<[string, Partial<FitPlan>, number, number]>([
    ['none', {}, 600, 400],
    ['a width', { maxWidth: 300 }, 300, 200],
    ['a height', { maxHeight: 100 }, 150, 100],
    ['a width and a height', { maxWidth: 300, maxHeight: 300 }, 300, 200],
    ['a number of pixels', { maxPixels: 60_000 }, 300, 200],
    [
      'limits that the image is within',
      { maxWidth: 600, maxHeight: 400, maxPixels: 240_000 },
      600,
      400,
    ],
    ['larger limits', { maxWidth: 9_000, maxHeight: 9_000, maxPixels: 9_000_000 }, 600, 400],
    ['an uneven width', { maxWidth: 101 }, 101, 67],
  ])('%s', async (_, plan, width, height) => {
    const fitted = await fit(await noise(600, 400).jpeg().toBuffer(), plan);
    expect(fitted).toMatchObject({ contentType: 'image/jpeg', width, height });
    await expectTrue(fitted);
  });

  test('a maximum width is reached exactly, from every width of an image', async () => {
    for (let width = 33; width < 60; width++) {
      const fitted = await fit(await noise(width, 20).png().toBuffer(), { maxWidth: 32 });
      expect(fitted.width, `from ${width}`).toBe(32);
    }
  });

  test('a long and thin image keeps at least one row', async () => {
    const fitted = await fit(await noise(4_000, 2).png().toBuffer(), { maxWidth: 100 });
    expect(fitted).toMatchObject({ width: 100, height: 1 });
  });

  test.each([...types, 'image/gif'])('the byte limit is kept for %s', async (contentType) => {
    const bytes = await noise(240, 160).png().toBuffer();
    const { bytes: unlimited } = await fit(bytes, { contentType });
    for (const share of [0.9, 0.5, 0.1, 0.02]) {
      const maxBytes = Math.round(unlimited.length * share);
      const fitted = await fit(bytes, { contentType, maxBytes });
      expect(fitted.bytes.length, `share ${share}`).toBeLessThanOrEqual(maxBytes);
      // It is not made much smaller than it must be.
      expect(fitted.bytes.length, `share ${share}`).toBeGreaterThan(maxBytes * 0.3);
      expect(Math.abs(fitted.width / 1.5 - fitted.height)).toBeLessThanOrEqual(1);
      await expectTrue(fitted);
    }
  });

  test('the quality is lowered before the size', async () => {
    const bytes = await noise(600, 400).png().toBuffer();
    const { bytes: best } = await fit(bytes);
    const fitted = await fit(bytes, { maxBytes: best.length - 1 });
    expect(fitted).toMatchObject({ width: 600, height: 400 });
  });

  test.each([...types, 'image/gif'])("%s that can't fit is refused", async (contentType) => {
    const bytes = await noise(60, 40).png().toBuffer();
    await expect(fit(bytes, { contentType, maxBytes: 20 })).rejects.toMatchObject({
      name: 'MediaError',
      code: 'media_too_large',
      message: "The image can't be made to fit into 20 bytes.",
    });
  });
});

describe('orientation', () => {
  /** Red at the left, blue at the right. */
  const leftRed = () =>
    sharp({ create: { width: 40, height: 20, channels: 3, background: '#00f' } }).composite([
      {
        input: { create: { width: 20, height: 20, channels: 3, background: '#f00' } },
        left: 0,
        top: 0,
      },
    ]);

  const isRed = async (bytes: Buffer, left: number, top: number) => {
    const pixel = await sharp(bytes)
      .extract({ left, top, width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer();
    return pixel[0]! > 128 && pixel[2]! < 128;
  };

  test.each(types)('is applied to %s', async (contentType) => {
    const stored = await encoders[contentType]!(leftRed())
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const fitted = await fitBytes(stored, cleaningPlan(contentType));
    // Turned to the right, the left is at the top.
    expect(fitted).toMatchObject({ contentType, width: 20, height: 40 });
    expect(await isRed(fitted.bytes, 10, 5)).toBe(true);
    expect(await isRed(fitted.bytes, 10, 35)).toBe(false);
    await expectTrue(fitted);
  });

  test('comes before the limits', async () => {
    const stored = await leftRed().jpeg().withMetadata({ orientation: 8 }).toBuffer();
    expect(await fit(stored, { maxHeight: 20 })).toMatchObject({ width: 10, height: 20 });
  });
});

describe('metadata', () => {
  const gps = {
    IFD0: { Make: 'Camera' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
  };
  const xmp =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="51,30.0N"/></rdf:RDF></x:xmpmeta>';

  test.each(types)('is removed from %s', async (contentType) => {
    const bytes = await encoders[contentType]!(noise(40, 30)).withExif(gps).withXmp(xmp).toBuffer();
    expect(await probeSource(bytesSource(bytes))).toMatchObject({ needsCleaning: true });
    const fitted = await fitBytes(bytes, cleaningPlan(contentType));
    const metadata = await sharp(fitted.bytes).metadata();
    expect([metadata.exif, metadata.xmp, metadata.iptc]).toEqual([undefined, undefined, undefined]);
    for (const word of ['Camera', 'GPSLatitude']) expect(fitted.bytes.includes(word)).toBe(false);
    await expectTrue(fitted);
  });

  test('bytes behind an image are removed', async () => {
    const image = await noise(40, 30).gif().toBuffer();
    const both = Buffer.concat([image, Buffer.from('<script>alert(1)</script>')]);
    const fitted = await fitBytes(both, cleaningPlan('image/gif'));
    expect(fitted.bytes.includes('<script>')).toBe(false);
    await expectTrue(fitted);
  });
});

test('transparent parts of an image become white in a JPEG, and stay in other types', async () => {
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 4, background } })
    .png()
    .toBuffer();
  const { bytes: jpeg } = await fit(bytes);
  expect([...(await sharp(jpeg).raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255]);
  const { bytes: webp } = await fit(bytes, { contentType: 'image/webp' });
  expect((await sharp(webp).raw().toBuffer())[3]).toBe(0);
});

test('colors of another profile become sRGB', async () => {
  const cmyk = await noise(40, 30).toColorspace('cmyk').jpeg().toBuffer();
  expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
  for (const maxBytes of [null, 1_000]) {
    const { bytes } = await fit(cmyk, { maxBytes });
    expect(await sharp(bytes).metadata()).toMatchObject({ space: 'srgb', channels: 3 });
  }
});

describe('animations', () => {
  test.each(['image/gif', 'image/webp'])('keep their frames in %s', async (contentType) => {
    const bytes = await (
      await animation(100, 80)
    )
      .gif({ delay: [50, 60, 70, 80], loop: 3 })
      .toBuffer();
    const fitted = await fit(bytes, { contentType, maxWidth: 50 });
    expect(fitted).toMatchObject({ width: 50, height: 40 });
    const metadata = await sharp(fitted.bytes, { animated: true }).metadata();
    expect(metadata).toMatchObject({ pages: 4, pageHeight: 40, delay: [50, 60, 70, 80], loop: 3 });
  });

  test.each(['image/jpeg', 'image/png', 'image/avif'])('become a still %s', async (contentType) => {
    const bytes = await (await animation(100, 80)).webp().toBuffer();
    const fitted = await fit(bytes, { contentType });
    expect(fitted).toMatchObject({ contentType, width: 100, height: 80 });
    await expectTrue(fitted);
  });
});

test('an image that is cut short is refused', async () => {
  const bytes = await noise(600, 400).jpeg().toBuffer();
  await expect(fit(bytes.subarray(0, -1_000))).rejects.toMatchObject({ code: 'media_invalid' });
});

test.runIf(process.platform === 'linux')('a full disk is no fault of the image', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'fanfare-full-')), 'image');
  writeFileSync(path, await noise(600, 400).png().toBuffer());
  for (const contentType of types) {
    const encoding = { ...noLimits, contentType, quality: 80, factor: 1 };
    const error = await encodeImage({ kind: 'encode', path, to: '/dev/full', encoding }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).not.toBeInstanceOf(MediaError);
    expect((error as Error).message).toContain('write error');
  }
  rmSync(dirname(path), { recursive: true });
});
