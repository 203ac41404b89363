// Reads how an image file is built, before a decoder sees it: where the image ends, how many parts the file
// has, and how much a decoder has to hold at once. Other files and second images hide behind the end.
import { inflateSync } from 'node:zlib';
import { imageLimits } from '../../../schema/media.ts';
import { MediaError } from '../media-error.ts';
import type { ImageSize } from './header.ts';

export interface Layout {
  /** Offset of the first byte after the image. Null: the image is cut short. */
  end: number | null;
  /** Memory that a decoder holds at once, per pixel. 0: the decoder holds only a few rows. */
  heldBytesPerPixel: number;
}

/** Refuses files with more parts than any program writes. Each part costs a decoder memory. */
export function readLayout(bytes: Buffer, contentType: string): Layout {
  const { end, heldBytesPerPixel = 0 } = readers[contentType]!(bytes);
  return { end: end > bytes.length ? null : end, heldBytesPerPixel };
}

/** Refuses an image that is too large if a decoder must hold all of it. */
export function checkHeld({ heldBytesPerPixel }: Layout, { width, height }: ImageSize): void {
  const bytes = Math.round(width * height * heldBytesPerPixel);
  if (bytes <= imageLimits.heldBytes) return;
  const message = `Decoding this progressive or interlaced image takes ${bytes} bytes of memory. Fanfare allows ${imageLimits.heldBytes}. Save it without progressive or interlaced encoding.`;
  throw new MediaError('media_too_large', message);
}

interface Found {
  end: number;
  heldBytesPerPixel?: number;
}

/** The reader of each content type that Fanfare accepts. */
const readers: Readonly<Record<string, (bytes: Buffer) => Found>> = {
  'image/jpeg': readJpeg,
  'image/png': readPng,
  'image/gif': (bytes) => ({ end: endOfGif(bytes) }),
  'image/webp': readWebp,
  'image/avif': (bytes) => ({ end: endOfAvif(bytes) }),
};

/** Counts parts or bytes. Throws once the count exceeds the limit. */
function createCounter(what: string, limit: number): (by?: number) => void {
  let count = 0;
  return (by = 1) => {
    count += by;
    if (count <= limit) return;
    throw new MediaError('media_too_large', `The image has more than ${limit} ${what}.`);
  };
}

const countMetadata = () => createCounter('bytes of metadata', imageLimits.metadataBytes);

/**
 * A segment states its length. Coded data doesn't state it, so their end is found by the marker of the next
 * segment.
 */
function readJpeg(bytes: Buffer): Found {
  const countSegment = createCounter('segments', imageLimits.parts);
  const countScan = createCounter('scans', imageLimits.scans);
  const addMetadata = countMetadata();
  let at = 2;
  let scans = 0;
  let held = 0;
  let isProgressive = false;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) return { end: Infinity };
    const marker = bytes[at + 1]!;
    if (marker === 0xd9) {
      return { end: at + 2, heldBytesPerPixel: isProgressive || scans > 1 ? held : 0 };
    }
    const hasNoLength = marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xff) at += 1;
    else if (hasNoLength) at += 2;
    else if (at + 4 > bytes.length) return { end: Infinity };
    else {
      countSegment();
      if (marker === 0xda) {
        countScan();
        scans++;
      } else if (isFrame(marker)) {
        held = coefficientBytes(bytes, at);
        isProgressive = (marker & 3) === 2;
      }
      const length = bytes.readUInt16BE(at + 2);
      if (isMetadata(marker)) addMetadata(Math.min(length, bytes.length - at));
      at += 2 + length;
    }
  }
}

/** Application data and comments. */
const isMetadata = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;

const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/**
 * With several scans, a decoder holds the coefficients of all components until the last scan. Each
 * coefficient takes two bytes.
 */
function coefficientBytes(bytes: Buffer, at: number): number {
  const components = bytes[at + 9] ?? 0;
  const factors = Array.from({ length: components }, (_, i) => bytes[at + 11 + i * 3] ?? 0x11);
  const most = (shift: number) => Math.max(1, ...factors.map((factor) => (factor >> shift) & 15));
  const largest = most(4) * most(0);
  return factors.reduce((sum, factor) => sum + (2 * (factor >> 4) * (factor & 15)) / largest, 0);
}

/** Samples per pixel, by color type: gray, none, RGB, palette (decoded to RGBA), gray with alpha, none, RGBA. */
const pngSamples = [1, 0, 3, 4, 2, 0, 4];

const pngPixels: ReadonlySet<string> = new Set(['IDAT', 'fdAT']);

function readPng(bytes: Buffer): Found {
  const countChunk = createCounter('chunks', imageLimits.parts);
  const addMetadata = countMetadata();
  const isInterlaced = bytes[28] === 1;
  const sampleBytes = Math.ceil((bytes[24] ?? 8) / 8);
  const heldBytesPerPixel = isInterlaced ? (pngSamples[bytes[25] ?? 6] ?? 4) * sampleBytes : 0;
  let at = 8;
  while (at + 12 <= bytes.length) {
    countChunk();
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (type === 'IEND') return { end, heldBytesPerPixel };
    if (!pngPixels.has(type)) {
      addMetadata(Math.min(length, bytes.length - at));
      addMetadata(inflatedLength(type, bytes.subarray(at + 8, end - 4)));
    }
    at = end;
  }
  return { end: Infinity };
}

/**
 * Length of a compressed text or profile after a decoder has inflated it.
 * @see https://www.w3.org/TR/png-3/#11textinfo
 */
function inflatedLength(type: string, data: Buffer): number {
  const stream = compressedPart(type, data);
  if (!stream) return 0;
  const maxOutputLength = imageLimits.metadataBytes;
  try {
    return inflateSync(stream, { maxOutputLength }).length;
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    // A damaged stream is left to the decoder.
    return isTooLong ? maxOutputLength + 1 : 0;
  }
}

function compressedPart(type: string, data: Buffer): Buffer | undefined {
  const afterZero = (from: number) => data.indexOf(0, from) + 1;
  const method = afterZero(0);
  if (type === 'zTXt' || type === 'iCCP') return data.subarray(method + 1);
  if (type !== 'iTXt' || data[method] !== 1) return undefined;
  // After the flag and the method come a language and a translated keyword.
  return data.subarray(afterZero(afterZero(method + 2)));
}

const webpPixels: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANMF']);

function readWebp(bytes: Buffer): Found {
  const countChunk = createCounter('chunks', imageLimits.parts);
  const addMetadata = countMetadata();
  const declared = bytes.readUInt32LE(4);
  const end = Math.min(8 + declared + (declared % 2), Math.max(8 + declared, bytes.length));
  for (let at = 12; at + 8 <= Math.min(end, bytes.length);) {
    countChunk();
    const length = bytes.readUInt32LE(at + 4);
    if (!webpPixels.has(bytes.toString('latin1', at, at + 4)))
      addMetadata(Math.min(length, bytes.length - at));
    at += 8 + length + (length % 2);
  }
  return { end };
}

function endOfGif(bytes: Buffer): number {
  const countBlock = createCounter('blocks', imageLimits.parts);
  const endOfColors = (at: number, flags: number) => at + (flags & 0x80 ? 6 << (flags & 7) : 0);
  let at = endOfColors(13, bytes[10] ?? 0);
  while (at < bytes.length) {
    countBlock();
    const kind = bytes[at];
    if (kind === 0x3b) return at + 1;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) at = endOfColors(at + 10, bytes[at + 9] ?? 0) + 1;
    else return Infinity;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    at += 1;
  }
  return Infinity;
}

const avifBoxes: ReadonlySet<number> = new Set(
  ['ftyp', 'meta', 'mdat', 'moov', 'free', 'skip'].map((name) => Buffer.from(name).readUInt32BE()),
);

/** Ends at a box of any other type, because such a box can hold metadata. */
function endOfAvif(bytes: Buffer): number {
  const countBox = createCounter('boxes', imageLimits.parts);
  let at = 0;
  while (at + 8 <= bytes.length && avifBoxes.has(bytes.readUInt32BE(at + 4))) {
    countBox();
    let length = bytes.readUInt32BE(at);
    if (length === 0) return bytes.length;
    if (length === 1 && at + 16 <= bytes.length) length = Number(bytes.readBigUInt64BE(at + 8));
    if (length < 8) return Infinity;
    at += length;
  }
  return at;
}
