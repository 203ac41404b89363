// A real video of hundreds of megabytes in a file, written without being held in memory.
import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  EncodedPacket,
  EncodedVideoPacketSource,
  FilePathTarget,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { h264Config } from './samples.ts';

export interface LargeVideo extends AsyncDisposable {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

const packetBytes = 1_048_576;

/** An MP4 file of 640 × 360 pixels, with one second for each megabyte. Its pictures can't be shown. */
export async function createLargeVideo(megabytes: number): Promise<LargeVideo> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-video-'));
  const path = join(folder, 'video.mp4');
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: false }),
    target: new FilePathTarget(path),
  });
  const source = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(source, { frameRate: 1 });
  await output.start();
  const data = Buffer.alloc(packetBytes);
  for (let i = 0; i < megabytes; i++) {
    // Each slice has its length, its type and random bytes, so that no two slices are alike.
    randomFillSync(data);
    data.writeUInt32BE(packetBytes - 4);
    data.writeUInt8(0x65, 4);
    await source.add(new EncodedPacket(data, 'key', i, 1), { decoderConfig: h264Config });
  }
  await output.finalize();
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return {
    path,
    bytes: (await stat(path)).size,
    sha256: hash.digest('hex'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
