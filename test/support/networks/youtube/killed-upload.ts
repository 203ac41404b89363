// A video that a worker process uploads to YouTube. The worker is killed again and again, each time at a moment that
// a seed chooses, and another worker continues.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { chunkBytes } from '../../../../activities/platforms/youtube/session.ts';
import { createRandom } from '../../../chaos/random.ts';
import type { WorkerInput } from '../../../chaos/upload/workers.ts';
import { createRandomFile } from '../../media/target-media.ts';
import type { TestDatabase } from '../../rows/database.ts';
import { toKind } from '../contract/kind.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createSwitchboard } from '../faults.ts';
import { listTargets, writePost } from '../posting.ts';
import { expireLeases } from '../step-failures.ts';
import { createYouTubeServer } from './server.ts';
import { startNetwork, youtube } from './subject.ts';

const program = fileURLToPath(new URL('../../../chaos/upload/worker.ts', import.meta.url));

/** `asked`: YouTube has been asked how much has arrived. `begun`, `stored`: the chunk is on its way, or has arrived. */
const moments = ['asked', 'begun', 'stored'] as const;
type Moment = (typeof moments)[number];

export interface KilledUpload {
  kills: string[];
  /** How often each chunk was sent, whole or in part. */
  sent: number[];
  /** How often the worker was killed while it sent the chunk. */
  cut: number[];
  status: string;
  videos: { sha256: string }[];
  sha256: string;
  sessions: number;
}

/** Kills the worker `count` times. */
export async function uploadUnderKills(
  { db, url }: TestDatabase,
  { bytes, count, seed }: { bytes: number; count: number; seed: number },
): Promise<KilledUpload> {
  const chunkCount = Math.ceil(bytes / chunkBytes);
  const server = createYouTubeServer();
  server.readsUntilProcessed = 0;
  const kind = toKind({ ...youtube, start: (switchboard) => startNetwork(switchboard, server) });
  await using file = await createRandomFile(bytes);
  await using network = await kind.start(db);
  const faulty = await startFaultyServer(server, createSwitchboard());
  await using _ = { [Symbol.asyncDispose]: () => faulty.close() };
  const post = await writePost(db, network);
  const [resultId] = post.resultIds;

  const planned = new Set(chooseMoments(chunkCount, seed).slice(0, count));
  const kills: string[] = [];
  const sent = Array<number>(chunkCount).fill(0);
  const cut = Array<number>(chunkCount).fill(0);
  let worker: ChildProcess | undefined;

  /** Whether the worker was killed. */
  function reach(chunk: number, moment: Moment): boolean {
    if (!planned.delete(`${chunk} ${moment}`)) return false;
    kills.push(`${chunk} ${moment}`);
    worker!.kill('SIGKILL');
    return true;
  }

  faulty.onRequest = (now, { method, headers }) => {
    if (method !== 'PUT') return;
    const start = /^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1];
    if (start === undefined) {
      const held = [...server.uploads.sessions.values()].at(-1)!.held;
      if (now === 'after') reach(Math.min(Math.floor(held / chunkBytes), chunkCount - 1), 'asked');
      return;
    }
    const chunk = Number(start) / chunkBytes;
    if (now === 'after') return void reach(chunk, 'stored');
    sent[chunk]!++;
    if (reach(chunk, 'begun')) cut[chunk]!++;
  };

  const input: WorkerInput = {
    databaseUrl: url,
    networkUrl: faulty.url,
    resultId: resultId!,
    network: { file: file.path, name: 'youtube' },
  };
  for (let hasEnded = false; !hasEnded;) {
    worker = fork(program, [JSON.stringify(input)]);
    worker.once('message', () => worker!.send('go'));
    const [code] = (await once(worker, 'exit')) as [number | null];
    if (code !== null && code !== 0) throw new Error(`A worker ended with ${code}.`);
    hasEnded = code === 0;
    // As if the time had passed after which another worker takes the call over.
    await expireLeases(db, post);
  }
  const [row] = await listTargets(db, post);
  return {
    kills,
    sent,
    cut,
    status: row!.status,
    videos: server.videos,
    sha256: file.sha256,
    sessions: server.uploads.sessions.size,
  };
}

function chooseMoments(chunkCount: number, seed: number): string[] {
  const chunks = Array.from({ length: chunkCount }, (_, chunk) => chunk);
  const all = chunks.flatMap((chunk) => moments.map((moment) => `${chunk} ${moment}`));
  return createRandom(seed, 'moments').shuffle(all);
}

/** Expects one video, and that each kill has cost one chunk at most. */
export function expectOneVideo(upload: KilledUpload, kills: number): void {
  expect(upload.kills).toHaveLength(kills);
  expect(upload.status).toBe('published');
  expect(upload.videos).toMatchObject([{ sha256: upload.sha256 }]);
  expect(upload.sessions).toBe(1);
  expect(upload.sent).toEqual(upload.cut.map((cut) => 1 + cut));
}
