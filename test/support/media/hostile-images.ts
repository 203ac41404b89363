// Images that are made to cost a decoder memory or time. Each is easy to make, and has at most 64 MiB.
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

export interface HostileImage {
  name: string;
  contentType: string;
  make(): Promise<Buffer>;
}

const flat = (width: number, height: number, channels: 3 | 4 = 3): Sharp =>
  sharp({
    create: { width, height, channels, background: { r: 90, g: 30, b: 200, alpha: 0.5 } },
    limitInputPixels: false,
  });

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const u32le = (value: number) => Buffer.from(u32(value).toReversed());

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
}

/** Puts chunks after the header of a PNG. */
export async function pngWith(chunks: Buffer, image: Sharp = flat(40, 40)): Promise<Buffer> {
  const png = await image.png().toBuffer();
  return Buffer.concat([png.subarray(0, 33), chunks, png.subarray(33)]);
}

function riffChunk(type: string, data: Buffer): Buffer {
  const padding = Buffer.alloc(data.length % 2);
  return Buffer.concat([Buffer.from(type, 'latin1'), u32le(data.length), data, padding]);
}

/** An extended WebP with chunks after its image. `flags`: what its header announces. */
async function webpWith(flags: number, chunks: Buffer): Promise<Buffer> {
  const webp = await flat(40, 40).webp().toBuffer();
  const header = Buffer.from([flags, 0, 0, 0, 39, 0, 0, 39, 0, 0]);
  const body = Buffer.concat([riffChunk('VP8X', header), webp.subarray(12), chunks]);
  const length = u32le(body.length + 4);
  return Buffer.concat([Buffer.from('RIFF'), length, Buffer.from('WEBP'), body]);
}

/** Puts segments after the first marker of a JPEG. */
async function jpegWith(segments: Buffer): Promise<Buffer> {
  const jpeg = await flat(40, 40).jpeg().toBuffer();
  return Buffer.concat([jpeg.subarray(0, 2), segments, jpeg.subarray(2)]);
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

const repeat = (bytes: Buffer, times: number) => Buffer.alloc(bytes.length * times, bytes);

/** An AVIF whose properties name this size instead of its own. */
async function avifWithSize(image: Sharp, width: number, height: number): Promise<Buffer> {
  const avif = await image.avif({ effort: 0 }).toBuffer();
  const at = avif.indexOf('ispe') + 8;
  avif.writeUInt32BE(width, at);
  avif.writeUInt32BE(height, at + 4);
  return avif;
}

function gif(width: number, height: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const head = Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from('800000000000ffffff', 'hex'),
  ]);
  const frame = Buffer.concat([
    Buffer.from('21f90400000000002c00000000', 'hex'),
    size,
    Buffer.from('0002024c0100', 'hex'),
  ]);
  return Buffer.concat([head, repeat(frame, frames), Buffer.from([0x3b])]);
}

const behind = async (image: Promise<Buffer>, bytes: Buffer) => Buffer.concat([await image, bytes]);
const megabytes = (count: number, byte = 0x20) => Buffer.alloc(count * 1_000_000, byte);

const imagesOf = (contentType: string) => (name: string, make: () => Promise<Buffer>) => ({
  name,
  contentType,
  make,
});
const jpeg = imagesOf('image/jpeg');
const png = imagesOf('image/png');
const webp = imagesOf('image/webp');
const avif = imagesOf('image/avif');
const animated = imagesOf('image/gif');

/** A small image whose header names this size. */
async function pngWithSize(width: number, height: number): Promise<Buffer> {
  const bytes = await flat(40, 40).png().toBuffer();
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

const xmpHead = Buffer.from('http://ns.adobe.com/xap/1.0/\0');

export const hostileImages: readonly HostileImage[] = [
  avif('AVIF of 49 megapixels in a kilobyte', () => avifWithSize(flat(64, 64), 7_000, 7_000)),
  avif('AVIF larger than it says', () => avifWithSize(flat(3_900, 3_900), 64, 64)),
  avif('AVIF of 12 megapixels', () => flat(4_000, 3_000).avif({ effort: 0 }).toBuffer()),
  avif('AVIF in 4:4:4', () =>
    flat(3_400, 3_400).avif({ effort: 0, chromaSubsampling: '4:4:4' }).toBuffer(),
  ),
  avif('AVIF with empty boxes behind it', async () =>
    behind(
      flat(40, 40).avif().toBuffer(),
      repeat(Buffer.concat([u32(8), Buffer.from('free')]), 4_000_000),
    ),
  ),
  avif('AVIF with millions of boxes before its image', async () => {
    const avif = await flat(40, 40).avif().toBuffer();
    const head = avif.readUInt32BE(0);
    const boxes = repeat(Buffer.concat([u32(8), Buffer.from('skip')]), 4_000_000);
    return Buffer.concat([avif.subarray(0, head), boxes, avif.subarray(head)]);
  }),
  avif('AVIF that is cut short', async () =>
    (await flat(800, 800).avif({ effort: 0 }).toBuffer()).subarray(0, -40),
  ),
  webp('WebP with millions of empty chunks', () =>
    webpWith(0, repeat(riffChunk('JUNK', Buffer.alloc(0)), 4_000_000)),
  ),
  webp('WebP with millions of XMP chunks', () =>
    webpWith(4, repeat(riffChunk('XMP ', Buffer.alloc(0)), 4_000_000)),
  ),
  webp('WebP with 60 MB of XMP', () => webpWith(4, riffChunk('XMP ', megabytes(60)))),
  webp('WebP with 60 MB of zeros as XMP', () => webpWith(4, riffChunk('XMP ', megabytes(60, 0)))),
  webp('WebP with 60 MB of EXIF', () => webpWith(8, riffChunk('EXIF', megabytes(60)))),
  webp('WebP with a profile of 60 MB', () => webpWith(32, riffChunk('ICCP', megabytes(60)))),
  webp('lossless WebP of 24 megapixels', () =>
    flat(6_000, 4_000, 4).webp({ lossless: true, effort: 0 }).toBuffer(),
  ),
  webp('WebP of 200 megapixels', () =>
    flat(14_000, 14_000).webp({ effort: 0, lossless: true }).toBuffer(),
  ),
  webp('WebP with 60 MB behind it', () => behind(flat(40, 40).webp().toBuffer(), megabytes(60))),
  jpeg('JPEG with millions of empty segments', () =>
    jpegWith(repeat(jpegSegment(0xe2, Buffer.alloc(0)), 10_000_000)),
  ),
  jpeg('JPEG with 60 MB of XMP in segments', () =>
    jpegWith(repeat(jpegSegment(0xe1, Buffer.concat([xmpHead, Buffer.alloc(65_000, 0x20)])), 900)),
  ),
  jpeg('JPEG with 60 MB of comments', () =>
    jpegWith(repeat(jpegSegment(0xfe, Buffer.alloc(65_000)), 900)),
  ),
  jpeg('JPEG with 60 MB of profiles', () =>
    jpegWith(repeat(jpegSegment(0xe2, Buffer.alloc(65_000, 1)), 900)),
  ),
  jpeg('progressive JPEG of 50 megapixels in 4:4:4', () =>
    flat(8_600, 5_800).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
  ),
  jpeg('progressive JPEG of 50 megapixels', () =>
    flat(8_600, 5_800).jpeg({ progressive: true }).toBuffer(),
  ),
  jpeg('JPEG of 50 megapixels on its side', () =>
    flat(8_600, 5_800).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
  ),
  jpeg('JPEG of 4,000 megapixels', async () => {
    const bytes = await flat(40, 40).jpeg().toBuffer();
    const at = bytes.indexOf(Buffer.from([0xff, 0xc0])) + 5;
    bytes.writeUInt16BE(65_000, at);
    bytes.writeUInt16BE(65_000, at + 2);
    return bytes;
  }),
  jpeg('JPEG with 60 MB of restart markers', async () => {
    const bytes = await flat(40, 40).jpeg().toBuffer();
    const markers = repeat(Buffer.from([0xff, 0xd0]), 30_000_000);
    return Buffer.concat([bytes.subarray(0, -2), markers, bytes.subarray(-2)]);
  }),
  jpeg('JPEG with 60 MB behind it', () => behind(flat(40, 40).jpeg().toBuffer(), megabytes(60))),
  jpeg('JPEG with thousands of scans', async () => {
    const bytes = await flat(4_000, 3_000).jpeg({ progressive: true }).toBuffer();
    const last = bytes.lastIndexOf(Buffer.from([0xff, 0xda]));
    const scan = bytes.subarray(last, -2);
    return Buffer.concat([bytes.subarray(0, -2), repeat(scan, 3_000), bytes.subarray(-2)]);
  }),
  png('PNG of 3,600 megapixels', () => pngWithSize(60_000, 60_000)),
  png('PNG with millions of empty chunks', () => pngWith(repeat(pngChunk('tEXt'), 5_000_000))),
  png('PNG with 60 MB of text', () =>
    pngWith(pngChunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), megabytes(60)]))),
  ),
  png('PNG with compressed text of a gigabyte', () => {
    const text = deflateSync(Buffer.alloc(50_000_000, 0x41));
    const chunk = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), text]));
    return pngWith(repeat(chunk, 20));
  }),
  png('PNG with 60 MB of XMP', () =>
    pngWith(
      pngChunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), megabytes(60)])),
    ),
  ),
  png('interlaced PNG of 24 megapixels with 16 bits', () =>
    flat(6_000, 4_000, 4).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
  ),
  png('interlaced PNG of 24 megapixels', () =>
    flat(6_000, 4_000, 4).png({ progressive: true }).toBuffer(),
  ),
  png('PNG of 24 megapixels', () => flat(6_000, 4_000, 4).png().toBuffer()),
  png('PNG with 60 MB behind it', () => behind(flat(40, 40).png().toBuffer(), megabytes(60))),
  animated('GIF of millions of frames', () => Promise.resolve(gif(1, 1, 2_500_000))),
  animated('GIF of 500 megapixels in large frames', () => Promise.resolve(gif(7_000, 7_000, 10))),
  animated('GIF of 500 megapixels in small frames', () => Promise.resolve(gif(500, 500, 2_000))),
  animated('GIF of 550 megapixels', () => Promise.resolve(gif(7_000, 7_000, 11))),
];
