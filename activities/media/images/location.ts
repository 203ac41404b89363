// Finds locations in the metadata of an image.
import type { Metadata } from 'sharp';

/** `shown`: what the decoder reads of the image. Returns true in doubt. */
export function hasLocation(bytes: Buffer, contentType: string, shown: Metadata): boolean {
  const { exif, xmp, iptc } = shown;
  return (
    (exif !== undefined && hasGps(exif)) ||
    (xmp !== undefined && mayNamePlace(xmp)) ||
    (iptc !== undefined && hasPlace(iptc)) ||
    (hidden[contentType]?.(bytes, shown) ?? false)
  );
}

/** A longer XMP always counts as a location, because no ordinary program writes one of this length. */
const maxXmpBytes = 262_144;

/** XMP may have two bytes per letter. */
const mayNamePlace = (xmp: Buffer) =>
  xmp.length > maxXmpBytes || locationInText.test(xmp.toString('latin1').replaceAll('\0', ''));

/** Extended XMP is stored separately and isn't read, so the mark of an extended XMP counts as a location. */
const locationInText = /gps|location|latitude|longitude|city|state|country|HasExtendedXMP/i;

const gpsTag = 0x8825;

/** The first directory of EXIF points to the GPS directory. */
function hasGps(exif: Buffer): boolean {
  const start = exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0;
  const isLittle = exif.toString('latin1', start, start + 2) === 'II';
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const long = (at: number) => (isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at));
  try {
    const directory = start + long(start + 4);
    const tags = Array.from({ length: short(directory) }, (_, i) => short(directory + 2 + i * 12));
    return tags.includes(gpsTag);
  } catch {
    return true;
  }
}

/** Records of IPTC that name a place: content location, city, sublocation, state, country. */
const places: ReadonlySet<number> = new Set([26, 27, 90, 92, 95, 100, 101]);

function hasPlace(iptc: Buffer): boolean {
  for (let at = iptc.indexOf('\x1c\x02', 0, 'latin1'); at !== -1;) {
    if (places.has(iptc[at + 2] ?? 0)) return true;
    at = iptc.indexOf('\x1c\x02', at + 2, 'latin1');
  }
  return false;
}

/** Whether metadata exist that the decoder doesn't show, but other programs read. By content type. */
const hidden: Record<string, (bytes: Buffer, shown: Metadata) => boolean> = {
  'image/jpeg': (bytes, { exif, xmp }) =>
    count(bytes, 'Exif\0\0') > Number(exif !== undefined) ||
    count(bytes, 'http://ns.adobe.com/xap/1.0/\0') > Number(xmp !== undefined) ||
    count(bytes, 'Photoshop 3.0\0') > 1,

  'image/png': (bytes, { exif, xmp, comments = [] }) =>
    countInPng(bytes, 'eXIf') > Number(exif !== undefined) ||
    count(bytes, 'XML:com.adobe.xmp\0') > Number(xmp !== undefined) ||
    // ImageMagick writes the metadata of other types as texts.
    comments.some(({ keyword }) => /^raw profile/i.test(keyword) || locationInText.test(keyword)),

  'image/webp': (bytes, { exif, xmp }) =>
    countInWebp(bytes, 'EXIF') > Number(exif !== undefined) ||
    countInWebp(bytes, 'XMP ') > Number(xmp !== undefined),

  'image/gif': (bytes) => {
    const start = bytes.indexOf(gifXmp);
    if (start === -1) return false;
    const end = bytes.indexOf(gifXmpEnd, start);
    const xmp = bytes.subarray(start, end === -1 ? undefined : end);
    return mayNamePlace(xmp) || count(bytes, gifXmp) > 1;
  },
};

const gifXmp = 'XMP DataXMP';
/**
 * After the text of an XMP, each byte is one less than the byte before it, from 255 down. These bytes lead a
 * reader of blocks to the end.
 */
const gifXmpEnd = Buffer.from([1, 255, 254]);

/** Stops at two, since a hostile file may have millions of matches. */
function count(bytes: Buffer, text: string): number {
  const first = bytes.indexOf(text);
  if (first === -1) return 0;
  return bytes.includes(text, first + 1) ? 2 : 1;
}

/** Names are compared as numbers for speed, since a hostile file may have millions of chunks. */
const codeOf = (name: string) => Buffer.from(name).readUInt32BE();

function countInPng(bytes: Buffer, name: string): number {
  const code = codeOf(name);
  let found = 0;
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.readUInt32BE(at + 4) === code) found++;
  }
  return found;
}

function countInWebp(bytes: Buffer, name: string): number {
  const code = codeOf(name);
  let found = 0;
  for (let at = 12; at + 8 <= bytes.length;) {
    if (bytes.readUInt32BE(at) === code) found++;
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return found;
}
