// Small images and videos for tests, and their bytes as a media source.
import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
  type Rotation,
} from 'mediabunny';
import sharp, { type Sharp } from 'sharp';
import type { MediaSource } from '../../../activities/platforms/platform.ts';

export function bytesSource(bytes: Uint8Array): MediaSource {
  return {
    bytes: bytes.length,
    open: ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
      new Blob([bytes.slice(start, end + 1)]).stream(),
  };
}

/** An image of noise, whose size in bytes grows with its size in pixels. */
export function noise(width: number, height: number, mean = 128): Sharp {
  const channels = 3;
  const input = { type: 'gaussian', mean, sigma: 50 } as const;
  const create = { width, height, channels, background: '#fff', noise: input } as const;
  return sharp({ create });
}

/** An animation of four frames. */
export async function animation(width: number, height: number): Promise<Sharp> {
  const means = [60, 90, 120, 150];
  const frames = await Promise.all(
    means.map((mean) => noise(width, height, mean).png().toBuffer()),
  );
  return sharp(frames, { join: { animated: true } });
}

const videoFormats = {
  mp4: () => new Mp4OutputFormat({ fastStart: false }),
  'mp4-fast-start': () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  'mp4-fragmented': () => new Mp4OutputFormat({ fastStart: 'fragmented' }),
  mov: () => new MovOutputFormat(),
  webm: () => new WebMOutputFormat(),
};
export type VideoFormat = keyof typeof videoFormats;

/** A parameter set of H.264, baseline profile, 640 × 360. */
const h264 = '0142001effe10009674200 1eab40501ed0010004 68ce3c80'.replaceAll(' ', '');
const size = { codedWidth: 640, codedHeight: 360 };
export const h264Config = {
  codec: 'avc1.42001e',
  description: Buffer.from(h264, 'hex'),
  ...size,
};

/** Default: a file of two seconds, 640 × 360 pixels, before its rotation. Its pictures can't be shown. */
export async function video(
  format: VideoFormat,
  rotation: Rotation = 0,
  { seconds = 2, ...change }: Partial<typeof size> & { seconds?: number } = {},
): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: videoFormats[format](), target });
  const isWebm = format === 'webm';
  const source = new EncodedVideoPacketSource(isWebm ? 'vp8' : 'avc');
  output.addVideoTrack(source, { rotation, frameRate: 10 });
  await output.start();
  const decoderConfig = { ...(isWebm ? { codec: 'vp8', ...size } : h264Config), ...change };
  for (let i = 0; i < seconds * 10; i++) {
    const data = Buffer.concat([Buffer.from('000001ec65', 'hex'), Buffer.alloc(495, i + 1)]);
    const packet = new EncodedPacket(data, i % 10 === 0 ? 'key' : 'delta', i / 10, 0.1);
    await source.add(packet, { decoderConfig });
  }
  await output.finalize();
  return Buffer.from(target.buffer!);
}
