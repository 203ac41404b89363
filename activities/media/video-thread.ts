// A thread that reads the facts of a video. It has its own memory, because a small index can name billions of
// samples, and the library makes a list of all samples.
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
import type { ThreadInput, ThreadMessage, ThreadRange } from './videos.ts';

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

/** Maximum number of audio tracks. A film has one track for each language. */
const maxTracks = 32;

async function readVideo(): Promise<ThreadMessage> {
  const format = formats[contentType]!;
  using input = new Input({
    formats: [format],
    source: new CustomSource({
      getSize: () => bytes,
      read,
      prefetchProfile: 'fileSystem',
      // The error also rejects the read that waits for these bytes.
      handleUnhandledError: () => {},
    }),
  });
  const tracks = await input.getTracks();
  if (tracks.length > maxTracks) {
    const message = `The video has ${tracks.length} tracks. Fanfare accepts at most ${maxTracks}.`;
    return { kind: 'refused', code: 'media_too_large', message };
  }
  const track = await input.getPrimaryVideoTrack();
  if (!track) {
    return { kind: 'refused', code: 'media_invalid', message: 'The file has no video track.' };
  }
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  for (const one of tracks) await readLastPacket(one);
  const duration = await input.computeDuration();
  if (format === WEBM) checkDuration(duration, await input.getDurationFromMetadata());
  return { kind: 'facts', facts: { width, height, durationMs: Math.round(duration * 1_000) } };
}

/** A WebM file that is cut short lacks its last packets, but still declares their duration. */
function checkDuration(duration: number, declared: number | null): void {
  if (declared !== null && declared - duration > Math.max(0.5, declared * 0.05)) throw cutShort();
}

/** The last packet is missing from a file that is cut short. */
async function readLastPacket(track: InputTrack): Promise<void> {
  const sink = new EncodedPacketSink(track);
  const packet = await sink.getPacket(Infinity);
  if (!packet || packet.data.length === 0) throw cutShort();
}

const cutShort = () => new Error('The video is cut short.');

try {
  send(await readVideo());
} catch (error) {
  send({ kind: 'damaged', message: String(error) });
}
