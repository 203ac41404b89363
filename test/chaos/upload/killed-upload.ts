// A video that a worker process uploads to a network. The worker is killed again and again, each time at a moment that
// a seed chooses, and another worker continues.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { createRandom } from '../random.ts';
import type { WorkerInput } from './workers.ts';
import { createRandomFile } from '../../support/media/target-media.ts';
import type { TestDatabase } from '../../support/rows/database.ts';
import { toKind } from '../../support/networks/contract/kind.ts';
import type { NetworkServer, NetworkSubject } from '../../support/networks/contract/subject.ts';
import { startFaultyServer } from '../../support/networks/faulty-server.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { listTargets, writePost } from '../../support/networks/posting.ts';
import { expireLeases } from '../../support/networks/step-failures.ts';

const program = fileURLToPath(new URL('worker.ts', import.meta.url));

/** `asked`: the network has been asked how much has arrived. `begun`, `stored`: the chunk is on its way, or arrived. */
export type Moment = 'asked' | 'begun' | 'stored';

/** A simulated network that takes a video in chunks. */
export interface UploadNetwork {
  name: 'youtube' | 'tiktok';
  subject: NetworkSubject;
  server: NetworkServer;
  /** The address that workers call, once it is known. */
  setUrl?(url: string): void;
  countChunks(bytes: number): number;
  /** Index of the chunk that begins with this byte. */
  chunkAt(start: number): number;
  /** When the worker may be killed. */
  moments: readonly Moment[];
  /** The moments after which the next worker sends the chunk again. */
  costly: readonly Moment[];
  /** How many bytes have arrived. */
  countHeld(): number;
  /** SHA-256 of each video. */
  listVideos(): string[];
  countUploads(): number;
}

export interface KilledUpload {
  kills: string[];
  /** How often each chunk was sent, whole or in part. */
  sent: number[];
  /** How often the worker was killed so that it had to send the chunk again. */
  lost: number[];
  status: string;
  videos: string[];
  sha256: string;
  uploads: number;
}

/** Kills the worker `count` times. */
export async function uploadUnderKills(
  { db, url }: TestDatabase,
  upload: UploadNetwork,
  { bytes, count, seed }: { bytes: number; count: number; seed: number },
): Promise<KilledUpload> {
  const { name, subject, server, moments, costly } = upload;
  const chunkCount = upload.countChunks(bytes);
  await using file = await createRandomFile(bytes);
  await using network = await toKind(subject).start(db);
  const faulty = await startFaultyServer(server, createSwitchboard());
  await using _ = { [Symbol.asyncDispose]: () => faulty.close() };
  upload.setUrl?.(faulty.url);
  const post = await writePost(db, network);
  const [resultId] = post.resultIds;

  const chunks = Array.from({ length: chunkCount }, (__, chunk) => chunk);
  const all = chunks.flatMap((chunk) => moments.map((moment) => `${chunk} ${moment}`));
  const planned = new Set(createRandom(seed, 'moments').shuffle(all).slice(0, count));
  const kills: string[] = [];
  const sent = Array<number>(chunkCount).fill(0);
  const lost = Array<number>(chunkCount).fill(0);
  let worker: ChildProcess | undefined;

  function reach(chunk: number, moment: Moment): void {
    if (!planned.delete(`${chunk} ${moment}`)) return;
    kills.push(`${chunk} ${moment}`);
    if (costly.includes(moment)) lost[chunk]!++;
    worker!.kill('SIGKILL');
  }

  faulty.onRequest = (now, { method, headers }: IncomingMessage) => {
    if (method !== 'PUT') return;
    const start = /^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1];
    if (start === undefined) {
      const next = upload.chunkAt(upload.countHeld());
      if (now === 'after') reach(Math.min(next, chunkCount - 1), 'asked');
      return;
    }
    const chunk = upload.chunkAt(Number(start));
    if (now === 'after') return reach(chunk, 'stored');
    sent[chunk]!++;
    reach(chunk, 'begun');
  };

  const input: WorkerInput = {
    databaseUrl: url,
    networkUrl: faulty.url,
    resultId: resultId!,
    network: { file: file.path, name },
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
    lost,
    status: row!.status,
    videos: upload.listVideos(),
    sha256: file.sha256,
    uploads: upload.countUploads(),
  };
}

/** Expects one video, and that each kill has cost one chunk at most. */
export function expectOneVideo(upload: KilledUpload, kills: number): void {
  expect(upload.kills).toHaveLength(kills);
  expect(upload.status).toBe('published');
  expect(upload.videos).toEqual([upload.sha256]);
  expect(upload.uploads).toBe(1);
  const tooOften = upload.sent.flatMap((times, chunk) =>
    times > 1 + upload.lost[chunk]! ? [{ chunk, times }] : [],
  );
  expect(tooOften).toEqual([]);
}
