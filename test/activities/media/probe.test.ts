// What a file is, as read from its bytes.
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { mediaErrors } from '../../../schema/media.ts';
import { MediaError } from '../../../activities/media/media-error.ts';
import { createVideoReader } from '../../../activities/media/videos.ts';
import { elapse } from '../../support/elapse.ts';
import { probeSource } from '../../support/media/images.ts';
import {
  animation,
  bytesSource,
  noise,
  video,
  type VideoFormat,
} from '../../support/media/samples.ts';
import { createPdf } from '../../support/media/target-media.ts';
import { slowVideo } from '../../support/media/slow-video.ts';
import { longestTurnMs } from '../../support/checks/turn-meter.ts';

const probeBytes = (bytes: Uint8Array) => probeSource(bytesSource(bytes));

/** The code and the message of the refusal. */
async function refusal(bytes: Uint8Array): Promise<{ code: string; message: string }> {
  const error: unknown = await probeBytes(bytes).catch((thrown: unknown) => thrown);
  if (!(error instanceof MediaError))
    throw new Error('The file was not refused.', { cause: error });
  return { code: error.code, message: error.message };
}

const damaged = { code: 'media_invalid', message: 'The image is damaged or cut short.' };
const damagedVideo = { code: 'media_invalid', message: 'The video is damaged or cut short.' };

const encoders: Record<string, (image: Sharp) => Sharp> = {
  'image/jpeg': (image) => image.jpeg(),
  'image/png': (image) => image.png(),
  'image/webp': (image) => image.webp(),
  'image/gif': (image) => image.gif({ effort: 1 }),
  'image/avif': (image) => image.avif({ effort: 0 }),
};
const imageTypes = Object.keys(encoders);

const encoded = new Map<string, Promise<Buffer>>();

function encode(contentType: string, width = 320, height = 201): Promise<Buffer> {
  const key = `${contentType} ${width} × ${height}`;
  if (!encoded.has(key)) encoded.set(key, encoders[contentType]!(noise(width, height)).toBuffer());
  return encoded.get(key)!;
}

describe('documents', () => {
  test('have neither a size in pixels nor a duration', async () => {
    expect(await probeBytes(createPdf())).toEqual({
      kind: 'document',
      contentType: 'application/pdf',
      width: null,
      height: null,
      durationMs: null,
      needsCleaning: false,
    });
  });
});

describe('images', () => {
  test.each(imageTypes)('%s', async (contentType) => {
    expect(await probeBytes(await encode(contentType))).toEqual({
      kind: 'image',
      contentType,
      width: 320,
      height: 201,
      durationMs: null,
      needsCleaning: false,
    });
  });

  test.each(imageTypes)('%s that is cut short', async (contentType) => {
    const bytes = await encode(contentType);
    for (const missing of [1, 12, 1_000, bytes.length >> 1]) {
      expect(await refusal(bytes.subarray(0, -missing)), `${missing} missing`).toEqual(damaged);
    }
  });

  test.each([
    ['image/gif', (image: Sharp) => image.gif()],
    ['image/webp', (image: Sharp) => image.webp()],
  ])('animated %s has the size of a frame; a cut file is refused', async (contentType, to) => {
    const bytes = await to(await animation(100, 80)).toBuffer();
    const probed = await probeBytes(bytes);
    expect(probed).toMatchObject({ kind: 'image', contentType, width: 100, height: 80 });
    expect(await refusal(bytes.subarray(0, -1_000))).toEqual(damaged);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i', async (orientation) => {
    const bytes = await noise(40, 30).jpeg().withMetadata({ orientation }).toBuffer();
    const [width, height] = orientation >= 5 ? [30, 40] : [40, 30];
    const needsCleaning = orientation !== 1;
    expect(await probeBytes(bytes)).toMatchObject({ width, height, needsCleaning });
  });

  test('an interlaced PNG and a progressive JPEG', async () => {
    const size = { width: 320, height: 201, needsCleaning: false };
    expect(
      await probeBytes(await noise(320, 201).png({ progressive: true }).toBuffer()),
    ).toMatchObject(size);
    expect(
      await probeBytes(await noise(320, 201).jpeg({ progressive: true }).toBuffer()),
    ).toMatchObject(size);
  });
});

describe('locations', () => {
  const gps = {
    IFD0: { Make: 'Camera' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
  };
  const xmpOf = (properties: string) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" ${properties}/></rdf:RDF></x:xmpmeta>`;
  // A GIF carries no EXIF.
  const withExif = imageTypes.filter((type) => type !== 'image/gif');

  test.each(withExif)('%s with a location in EXIF needs cleaning', async (contentType) => {
    const bytes = await encoders[contentType]!(noise(40, 30)).withExif(gps).toBuffer();
    expect(await probeBytes(bytes)).toMatchObject({ contentType, needsCleaning: true });
  });

  test.each(withExif)('%s with EXIF, but no location', async (contentType) => {
    const exif = { IFD0: { Make: 'Camera' } };
    const bytes = await encoders[contentType]!(noise(40, 30)).withExif(exif).toBuffer();
    expect(await probeBytes(bytes)).toMatchObject({ contentType, needsCleaning: false });
  });

  test.each(withExif)('%s with a location in XMP', async (contentType) => {
    const xmp = xmpOf('exif:GPSLatitude="51,30.0N"');
    const bytes = await encoders[contentType]!(noise(40, 30)).withXmp(xmp).toBuffer();
    expect(await probeBytes(bytes)).toMatchObject({ needsCleaning: true });
    const other = await encoders[contentType]!(noise(40, 30))
      .withXmp(xmpOf('dc:format="x"'))
      .toBuffer();
    expect(await probeBytes(other)).toMatchObject({ needsCleaning: false });
  });

  test('XMP of more than 256 KiB is not read, and may have a location', async () => {
    const plain = xmpOf('dc:format="x"');
    const isCleaned = async (length: number) => {
      const xmp = plain.padEnd(length);
      return (await probeBytes(await noise(40, 30).png().withXmp(xmp).toBuffer())).needsCleaning;
    };
    expect(await isCleaned(262_144)).toBe(false);
    expect(await isCleaned(262_145)).toBe(true);
  });

  test('a JPEG with a city in IPTC', async () => {
    const plain = await encode('image/jpeg', 40, 30);
    const withIptc = (record: number) => {
      const text = Buffer.from('London');
      const data = Buffer.concat([
        Buffer.from([0x1c, 2, record, 0, text.length]),
        text,
        Buffer.from([0]),
      ]);
      const head = Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\0', 'latin1');
      head.writeUInt32BE(data.length - 1, head.length - 4);
      const segment = Buffer.concat([
        Buffer.from([0xff, 0xed, 0, head.length + data.length + 2]),
        head,
        data,
      ]);
      return Buffer.concat([plain.subarray(0, 2), segment, plain.subarray(2)]);
    };
    expect(await probeBytes(withIptc(90))).toMatchObject({ needsCleaning: true });
    expect(await probeBytes(withIptc(120))).toMatchObject({ needsCleaning: false });
  });

  describe('hidden from the decoder', () => {
    const location = xmpOf('exif:GPSLatitude="51,30.0N"');
    const exifOf = async (tags: typeof gps | Omit<typeof gps, 'IFD3'>) => {
      const { exif } = await sharp(await noise(40, 30).jpeg().withExif(tags).toBuffer()).metadata();
      return exif!.subarray(exif!.indexOf('Exif\0\0') + 6);
    };

    async function withPngChunk(name: string, data: string | Buffer, offset: number) {
      const plain = await encode('image/png', 40, 30);
      const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name), Buffer.from(data)]);
      chunk.writeUInt32BE(chunk.length - 8);
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(chunk.subarray(4)));
      return Buffer.concat([plain.subarray(0, offset), chunk, sum, plain.subarray(offset)]);
    }
    const behindHeader = 33;
    const beforeEnd = -12;

    async function withSegments(...segments: [marker: number, data: Buffer][]) {
      const plain = await encode('image/jpeg', 40, 30);
      const parts = segments.flatMap(([marker, data]) => {
        const head = Buffer.from([0xff, marker, 0, 0]);
        head.writeUInt16BE(data.length + 2, 2);
        return [head, data];
      });
      return Buffer.concat([plain.subarray(0, 2), ...parts, plain.subarray(2)]);
    }
    const exifSegment = async (tags: Parameters<typeof exifOf>[0]) =>
      [0xe1, Buffer.concat([Buffer.from('Exif\0\0'), await exifOf(tags)])] as [number, Buffer];
    const xmpSegment = (xmp: string, encoding: BufferEncoding = 'utf8') =>
      [
        0xe1,
        Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), Buffer.from(xmp, encoding)]),
      ] as [number, Buffer];

    async function gifWith(xmp: string) {
      const plain = await encode('image/gif', 40, 30);
      const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, i) => 255 - i), 0]);
      const head = Buffer.from('!\xff\x0bXMP DataXMP', 'latin1');
      const parts = [plain.subarray(0, -1), head, Buffer.from(xmp), trailer, Buffer.from(';')];
      return Buffer.concat(parts);
    }

    async function withWebpChunk(name: string, data: Buffer) {
      const plain = await encode('image/webp', 40, 30);
      const head = Buffer.from(`${name}\0\0\0\0`);
      head.writeUInt32LE(data.length, 4);
      const file = Buffer.concat([plain, head, data, Buffer.alloc(data.length % 2)]);
      file.writeUInt32LE(file.length - 8, 4);
      return file;
    }

    async function withAvifBox(name: string, data: Buffer) {
      const head = Buffer.from(`\0\0\0\0${name}`);
      head.writeUInt32BE(head.length + data.length);
      return Buffer.concat([await encode('image/avif', 40, 30), head, data]);
    }

    test.each<[string, () => Promise<Buffer>]>([
      [
        'a PNG with EXIF behind its pixels',
        async () => withPngChunk('eXIf', await exifOf(gps), beforeEnd),
      ],
      [
        'a PNG with EXIF as a text',
        () => withPngChunk('tEXt', 'Raw profile type exif\0…', behindHeader),
      ],
      [
        'a PNG with a location as a text',
        () => withPngChunk('tEXt', 'exif:GPSLatitude\x0051.5', behindHeader),
      ],
      [
        'a JPEG with two EXIF',
        async () => withSegments(await exifSegment({ IFD0: gps.IFD0 }), await exifSegment(gps)),
      ],
      [
        'a JPEG with two XMP',
        () => withSegments(xmpSegment(xmpOf('dc:format="x"')), xmpSegment(location)),
      ],
      ['a JPEG with XMP in UTF-16', () => withSegments(xmpSegment(`\ufeff${location}`, 'utf16le'))],
      [
        'a JPEG with a state in XMP',
        () => withSegments(xmpSegment(xmpOf('photoshop:State="Ohio"'))),
      ],
      ['a GIF with XMP', () => gifWith(location)],
      ['a WebP with undeclared EXIF', async () => withWebpChunk('EXIF', await exifOf(gps))],
      ['a WebP with undeclared XMP', () => withWebpChunk('XMP ', Buffer.from(location))],
      ['an AVIF with XMP in its own box', () => withAvifBox('uuid', Buffer.from(location))],
    ])('%s', async (_name, make) => {
      expect(await probeBytes(await make())).toMatchObject({ needsCleaning: true });
    });

    test.each<[string, () => Promise<Buffer>]>([
      ['a PNG with another text', () => withPngChunk('tEXt', 'Software\0gps', behindHeader)],
      [
        'a PNG with EXIF without a location',
        async () => withPngChunk('eXIf', await exifOf({ IFD0: gps.IFD0 }), behindHeader),
      ],
      [
        'a JPEG with EXIF and XMP without a location',
        async () =>
          withSegments(await exifSegment({ IFD0: gps.IFD0 }), xmpSegment(xmpOf('dc:format="x"'))),
      ],
      ['a GIF with XMP without a location', () => gifWith(xmpOf('dc:format="x"'))],
      ['a WebP with another chunk', () => withWebpChunk('abcd', Buffer.from('gps'))],
      ['an AVIF with free bytes', () => withAvifBox('free', Buffer.alloc(8))],
    ])('%s stays as it is', async (_name, make) => {
      expect(await probeBytes(await make())).toMatchObject({ needsCleaning: false });
    });
  });

  test("EXIF that can't be read may have a location", async () => {
    const bytes = await noise(40, 30)
      .jpeg()
      .withExif({ IFD0: { Make: 'Camera' } })
      .toBuffer();
    bytes.writeUInt32BE(0x7f_ff_ff_ff, bytes.indexOf('Exif\0\0') + 10);
    expect(await probeBytes(bytes)).toMatchObject({ needsCleaning: true });
  });

  test.each(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])(
    'bytes behind an image (%s) are to be removed',
    async (contentType) => {
      const both = Buffer.concat([await encode(contentType), await video('mp4')]);
      const probed = await probeBytes(both);
      expect(probed).toMatchObject({ kind: 'image', contentType, width: 320, needsCleaning: true });
    },
  );
});

describe('files that are refused', () => {
  test('an empty file', async () => {
    const message = 'The file is empty.';
    expect(await refusal(Buffer.alloc(0))).toEqual({ code: 'media_invalid', message });
  });

  test('text, whatever its name', async () => {
    const message = mediaErrors.media_invalid;
    const bytes = Buffer.from('<!doctype html><p>Not found</p>'.repeat(200));
    expect(await refusal(bytes)).toEqual({ code: 'media_invalid', message });
  });

  test('a type that Fanfare does not accept', async () => {
    const { code, message } = await refusal(Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'));
    expect(code).toBe('media_invalid');
    expect(message).toBe(
      'The bytes are audio/wav. Fanfare accepts image/jpeg, image/png, image/webp, image/gif, image/avif, video/mp4, video/quicktime, video/webm, application/pdf.',
    );
  });

  test('a file that has only the first bytes of its type', async () => {
    for (const contentType of imageTypes) {
      const bytes = Buffer.concat([
        (await encode(contentType)).subarray(0, 40),
        Buffer.alloc(900, 7),
      ]);
      expect(await refusal(bytes), contentType).toEqual(damaged);
    }
  });

  test('a small file with too many pixels, before it is decoded', async () => {
    const bytes = withSize(await encode('image/png'), 60_000, 60_000);
    const before = process.memoryUsage.rss();
    const started = performance.now();
    expect(await refusal(bytes)).toEqual({
      code: 'media_too_large',
      message:
        'The image has 60000 × 60000 pixels. Fanfare accepts at most 24000000 in this format.',
    });
    // Decoded, it would take 10 GB and half a minute.
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(50_000_000);
  });

  test('an animation with too many pixels in total', async () => {
    // Eleven frames of 7,000 × 7,000 pixels.
    const head = Buffer.from('474946383961581b581b800000000000ffffff', 'hex');
    const frame = Buffer.from('21f90400000000002c00000000581b581b0002024c0100', 'hex');
    const frames = Array.from({ length: 11 }, () => frame);
    const bytes = Buffer.concat([head, ...frames, Buffer.from([0x3b])]);
    expect(await refusal(bytes)).toEqual({
      code: 'media_too_large',
      message:
        'The image has 11 frames of 7000 × 7000 pixels. Fanfare accepts at most 500000000 pixels in all.',
    });
  });

  test('an image that is too large to be read', async () => {
    const head = await encode('image/png');
    const source = { ...bytesSource(head), bytes: 100_000_000 };
    const error = await probeSource(source).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'media_too_large',
      message: 'The image has 100000000 bytes. Fanfare accepts at most 67108864.',
    });
  });
});

describe('videos', () => {
  test.each<[VideoFormat, string]>([
    ['mp4', 'video/mp4'],
    ['mp4-fast-start', 'video/mp4'],
    ['mp4-fragmented', 'video/mp4'],
    ['mov', 'video/quicktime'],
    ['webm', 'video/webm'],
  ])('%s', async (format, contentType) => {
    expect(await probeBytes(await video(format))).toEqual({
      kind: 'video',
      contentType,
      width: 640,
      height: 360,
      durationMs: 2_000,
      needsCleaning: false,
    });
  });

  test.each([
    [0, 640, 360],
    [90, 360, 640],
    [180, 640, 360],
    [270, 360, 640],
  ] as const)('rotated by %i°', async (rotation, width, height) => {
    expect(await probeBytes(await video('mp4', rotation))).toMatchObject({ width, height });
  });

  test.each<VideoFormat>(['mp4-fast-start', 'mp4-fragmented', 'mov', 'webm'])(
    '%s that is cut short',
    async (format) => {
      const bytes = await video(format);
      expect(await refusal(bytes.subarray(0, -600))).toEqual(damagedVideo);
      expect(await refusal(bytes.subarray(0, bytes.length >> 1))).toEqual(damagedVideo);
    },
  );

  test('a video whose index at the end is missing is refused', async () => {
    const { code } = await refusal((await video('mp4')).subarray(0, -600));
    expect(code).toBe('media_invalid');
  });

  test('an index of a few bytes that names billions of samples is refused', async () => {
    const bytes = await video('mp4-fast-start');
    const count = 4_000_000_000;
    const durations = bytes.indexOf('stts') + 8;
    for (const [i, value] of [1, count].entries()) bytes.writeUInt32BE(value, durations + i * 4);
    // The list of key frames becomes one of offsets.
    const offsets = bytes.indexOf('stss');
    bytes.write('ctts', offsets);
    for (const [i, value] of [1, count, 1].entries()) {
      bytes.writeUInt32BE(value, offsets + 8 + i * 4);
    }
    const message = 'The index of the video is too large.';
    const readVideo = createVideoReader({ cpuMs: 500, wallMs: 60_000 });
    const reading = readVideo('prj_test', bytesSource(bytes), 'video/mp4');
    const refused = expect(reading).rejects.toMatchObject({ code: 'media_invalid', message });
    expect(await longestTurnMs(refused)).toBeLessThan(1_000);
  });

  test('tracks that each name millions of samples are refused', async () => {
    const bytes = slowVideo(30, 20_000_000);
    const startedAt = process.cpuUsage();
    const limits = { cpuMs: 500, wallMs: 60_000 };
    const message = 'The index of the video is too large.';
    const readVideo = createVideoReader(limits);
    const reading = readVideo('prj_test', bytesSource(bytes), 'video/mp4');
    await expect(reading).rejects.toMatchObject({ code: 'media_invalid', message });
    // All tracks take 9 s of CPU.
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(5_000);
  });

  test('a video with too many tracks is refused', async () => {
    expect(await probeBytes(slowVideo(32, 10))).toMatchObject({ kind: 'video' });
    expect(await refusal(slowVideo(33, 10))).toEqual({
      code: 'media_too_large',
      message: 'The video has 33 tracks. Fanfare accepts at most 32.',
    });
  });

  test('a slow store ends the reading as an error of the store, not of the video', async () => {
    const { bytes, open } = bytesSource(slowVideo(30, 10));
    const slow: typeof open = (range) =>
      new ReadableStream({
        async start(controller) {
          await elapse(200, 'the time of all reads together is limited');
          for await (const chunk of open(range)) controller.enqueue(chunk);
          controller.close();
        },
      });
    const limits = { cpuMs: 60_000, wallMs: 500 };
    const startedAt = performance.now();
    const readVideo = createVideoReader(limits);
    const reading = readVideo('prj_test', { bytes, open: slow }, 'video/mp4');
    await expect(reading).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' });
    // All reads take 6 s.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('a video of a gigabyte is not read whole', async () => {
    const skipped = Buffer.from('3b9aca0066726565', 'hex');
    const known = Buffer.concat([await video('mp4'), skipped]);
    let read = 0;
    const source = {
      bytes: known.length + 1_000_000_000 - skipped.length,
      open: (range?: { start: number; end: number }) => {
        const { start, end } = range!;
        read += end - start + 1;
        const bytes = Buffer.alloc(end - start + 1);
        known.copy(bytes, 0, start, end + 1);
        return bytesSource(bytes).open();
      },
    };
    expect(await probeSource(source)).toMatchObject({ kind: 'video', durationMs: 2_000 });
    expect(read).toBeLessThan(1_000_000);
  });
});

describe('a source that fails', () => {
  test.each([0, 4_100])('fails the call with its own error, from byte %i on', async (failsFrom) => {
    for (const bytes of [await encode('image/png'), await video('mp4')]) {
      const source = {
        ...bytesSource(bytes),
        open: (range?: { start: number; end: number }) => {
          if (range && range.end < failsFrom) return bytesSource(bytes).open(range);
          throw new Error('The store is away.');
        },
      };
      await expect(probeSource(source)).rejects.toThrow('The store is away.');
    }
  });
});

/** The same PNG with another size in its header. */
function withSize(png: Buffer, width: number, height: number): Buffer {
  const bytes = Buffer.from(png);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}
