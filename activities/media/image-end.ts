// Finds where an image ends in its file. Other files and second images hide behind it.

/** Offset of the first byte after the image. Null: the image is cut short. */
export function imageEnd(bytes: Buffer, contentType: string): number | null {
  const end = ends[contentType]!(bytes);
  return end > bytes.length ? null : end;
}

/** By type: every one that Fanfare accepts. */
const ends: Readonly<Record<string, (bytes: Buffer) => number>> = {
  'image/jpeg': endOfJpeg,
  'image/png': endOfPng,
  'image/gif': endOfGif,
  'image/webp': endOfWebp,
  'image/avif': endOfAvif,
};

/** Segments give their length. Coded data has none, and contains a marker only if another segment follows. */
function endOfJpeg(bytes: Buffer): number {
  let at = 2;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    if (at === -1 || at + 1 >= bytes.length) return Infinity;
    const marker = bytes[at + 1]!;
    if (marker === 0xd9) return at + 2;
    const hasNoLength = marker === 0 || marker === 1 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xff) at += 1;
    else if (hasNoLength) at += 2;
    else if (at + 4 > bytes.length) return Infinity;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
}

function endOfPng(bytes: Buffer): number {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return end;
    at = end;
  }
  return Infinity;
}

function endOfWebp(bytes: Buffer): number {
  const length = bytes.readUInt32LE(4);
  return Math.min(8 + length + (length % 2), Math.max(8 + length, bytes.length));
}

function endOfGif(bytes: Buffer): number {
  const endOfColors = (at: number, flags: number) => at + (flags & 0x80 ? 6 << (flags & 7) : 0);
  let at = endOfColors(13, bytes[10] ?? 0);
  while (at < bytes.length) {
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

/** Metadata can be in boxes of other types. */
function endOfAvif(bytes: Buffer): number {
  let at = 0;
  while (at + 8 <= bytes.length && avifBoxes.has(bytes.readUInt32BE(at + 4))) {
    let length = bytes.readUInt32BE(at);
    if (length === 0) return bytes.length;
    if (length === 1 && at + 16 <= bytes.length) length = Number(bytes.readBigUInt64BE(at + 8));
    if (length < 8) return Infinity;
    at += length;
  }
  return at;
}
