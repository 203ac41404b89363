// Reads a part of a file into memory.
import type { MediaSource } from '../platforms/platform.ts';

/** `end`: the last byte. */
export async function readBytes(
  source: MediaSource,
  range: { start: number; end: number },
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(range.end - range.start + 1);
  let length = 0;
  for await (const part of source.open(range)) {
    bytes.set(part, length);
    length += part.length;
  }
  return bytes.subarray(0, length);
}
