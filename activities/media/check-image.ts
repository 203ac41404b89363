// The image that checks of accounts let networks fetch: a gray square of the smallest size that networks
// take.
import { createHash } from 'node:crypto';

/** Width and height in pixels. Instagram and Threads take images that are at least this wide. */
const side = 320;

const repeat = (byte: number, times: number) => Array.from({ length: times }, () => byte);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B */
const segment = (marker: number, content: readonly number[]) => {
  const length = content.length + 2;
  return [0xff, marker, length >> 8, length & 0xff, ...content];
};

const size = [side >> 8, side & 0xff];
/** A Huffman table with one code, of one bit, which stands for 0. */
const onlyZero = [1, ...repeat(0, 15), 0];
/**
 * Number of blocks of 8 × 8 pixels in all three components. A block has two codes: "no difference from the
 * block before it", and the end of the block.
 */
const blocks = (side / 8) ** 2 * 3;

const bytes = Buffer.from([
  0xff,
  0xd8,
  ...segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
  ...segment(0xdb, [0, ...repeat(1, 64)]),
  ...segment(0xc0, [8, ...size, ...size, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]),
  ...segment(0xc4, [0x00, ...onlyZero]),
  ...segment(0xc4, [0x10, ...onlyZero]),
  ...segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]),
  ...repeat(0, (blocks * 2) / 8),
  0xff,
  0xd9,
]);

export const checkImage = {
  /** Stands in place of the ID of media. */
  id: 'check',
  contentType: 'image/jpeg',
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  width: side,
  height: side,
} as const;

/** `range`: offsets of the first and the last byte. */
export function openCheckImage(range = { start: 0, end: bytes.length - 1 }) {
  return new Blob([bytes.subarray(range.start, range.end + 1)]).stream();
}
