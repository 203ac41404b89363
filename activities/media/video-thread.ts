// A thread that reads what a video is. It has its own memory, since an index of a few bytes can name billions
// of samples, and the library makes a list of them.
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  MP4,
  QTFF,
  WEBM,
  type InputFormat,
  type InputTrack,
} from 'mediabunny';
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadInput, ThreadMessage, ThreadRange, VideoFacts } from './videos.ts';

const formats: Record<string, InputFormat> = {
  'video/mp4': MP4,
  'video/quicktime': QTFF,
  'video/webm': WEBM,
};

const { bytes, contentType } = workerData as ThreadInput;
const port = parentPort!;
const readers: ((bytes: Uint8Array) => void)[] = [];
port.on('message', ({ id, bytes }: ThreadRange) => readers[id]!(bytes));

const send = (message: ThreadMessage) => port.postMessage(message);

function read(start: number, end: number): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const id = readers.push(resolve) - 1;
    send({ kind: 'read', id, start, end });
  });
}

async function readVideo(): Promise<VideoFacts | 'no_track'> {
  const format = formats[contentType]!;
  using input = new Input({
    formats: [format],
    source: new CustomSource({
      getSize: () => bytes,
      read,
      prefetchProfile: 'fileSystem',
      // The read that waits for these bytes fails with it.
      handleUnhandledError: () => {},
    }),
  });
  const track = await input.getPrimaryVideoTrack();
  if (!track) return 'no_track';
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  const tracks = await input.getTracks();
  for (const one of tracks) await readLastPacket(one);
  const duration = await input.computeDuration();
  if (format === WEBM) checkDuration(duration, await input.getDurationFromMetadata());
  return { width, height, durationMs: Math.round(duration * 1_000) };
}

/** A WebM file that is cut short lacks its last packets, but still declares their duration. */
function checkDuration(duration: number, declared: number | null): void {
  if (declared !== null && declared - duration > Math.max(0.5, declared * 0.05)) throw cutShort();
}

/** It is missing from a file that is cut short. */
async function readLastPacket(track: InputTrack): Promise<void> {
  const sink = new EncodedPacketSink(track);
  const packet = await sink.getPacket(Infinity);
  if (!packet || packet.data.length === 0) throw cutShort();
}

const cutShort = () => new Error('The video is cut short.');

try {
  const read = await readVideo();
  send(read === 'no_track' ? { kind: 'no_track' } : { kind: 'facts', facts: read });
} catch (error) {
  send({ kind: 'damaged', message: String(error) });
}
