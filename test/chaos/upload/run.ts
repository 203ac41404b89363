// `npm run chaos -- upload`: a large upload whose worker is killed at each chunk, and containers that take long.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../../schema/database/migrate.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { createRandomFile, type RandomFile } from '../../support/media/target-media.ts';
import { startContainers } from '../../support/networks/container-then-publish.ts';
import type { ServedNetwork } from '../../support/networks/network.ts';
import { listTargets, writePost } from '../../support/networks/posting.ts';
import { startUploads } from '../../support/networks/upload-session.ts';
import type { Book } from '../books/records.ts';
import { createProgress, printBooks } from '../books/report.ts';
import { startPostgres } from '../cluster/servers.ts';
import { pidHeader, startWorkers, type Memory, type WorkerInput, type Workers } from './workers.ts';

const chunkBytes = 7_864_320;
const mostMb = 80;
const mostMinutes = 8;
/** A real container gets ready within 20 minutes, and is polled each minute. */
const slowContainer = { readyAtCheck: 20, pollMs: 1_000 };

interface Installation {
  db: Db;
  databaseUrl: string;
  progress: (line: string) => void;
  /** Aborts when the run is interrupted, or takes too long. */
  signal: AbortSignal;
}

interface Outcome {
  books: Book[];
  facts: Record<string, string | number>;
  memory: readonly Memory[];
}

/** True: every check has passed. */
export async function runUpload(
  { isShort }: { isShort: boolean },
  interrupted: AbortSignal,
): Promise<boolean> {
  const progress = createProgress();
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-upload-'));
  // Postgres runs as another user when we are root, and has to pass through.
  chmodSync(directory, 0o755);
  const postgres = await startPostgres(join(directory, 'main'));
  const connection = connectDatabase({
    url: postgres.url,
    maxConnections: 4,
    applicationName: 'chaos',
    transactionTimeoutS: 0,
  });
  const chunkCount = isShort ? 4 : 40;
  await using file = await createRandomFile(chunkCount * chunkBytes);
  try {
    await migrate(connection.db);
    progress('The database is up, and the file is written.');
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(mostMinutes * 60_000)]);
    const installation = { db: connection.db, databaseUrl: postgres.url, progress, signal };
    const outcomes = await Promise.all([
      uploadUnderKills(installation, file, chunkCount),
      uploadInPeace(installation, file),
      publishSlowContainer(installation),
      publishExpiringContainer(installation),
    ]);
    const memory = outcomes.flatMap((outcome) => outcome.memory);
    return printBooks([...outcomes.flatMap(({ books }) => books), checkMemory(memory)], {
      ...Object.assign({}, ...outcomes.map(({ facts }) => facts)),
      ...describeMemory(memory),
    });
  } finally {
    await connection.close();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function uploadUnderKills(
  installation: Installation,
  file: RandomFile,
  chunkCount: number,
): Promise<Outcome> {
  await using network = await startUploads({ chunkBytes });
  const sent = new Map<number, number>();
  const killedAtMs = new Map<number, number>();
  const takeoversMs: number[] = [];

  const published = await publish(
    installation,
    network,
    { file: file.path, chunkBytes },
    (workers) => {
      network.server.onRequest = (moment, { headers }) => {
        const start = /^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1];
        if (start === undefined) return;
        const chunk = Number(start) / chunkBytes;
        if (moment === 'before') {
          sent.set(chunk, (sent.get(chunk) ?? 0) + 1);
          const lostAtMs = killedAtMs.get(chunk);
          if (lostAtMs !== undefined) takeoversMs.push(performance.now() - lostAtMs);
        }
        // In turn: while the chunk is on its way, and when the network has stored it.
        const isKill = moment === (chunk % 2 === 0 ? 'before' : 'after') && !killedAtMs.has(chunk);
        if (!isKill) return;
        killedAtMs.set(chunk, performance.now());
        installation.progress(`Chunk ${chunk + 1} of ${chunkCount}: its worker is killed.`);
        workers.replace(Number(headers[pidHeader]));
      };
    },
  );
  const [post] = await network.listPosts();
  const differences = [...published.differences];
  if (post?.options?.['sha256'] !== file.sha256) differences.push('the bytes are not the file');
  if (network.countSessions() > 1) differences.push(`${network.countSessions()} sessions`);
  const numbers = Array.from({ length: chunkCount }, (_, chunk) => chunk);
  const storedOf = (chunk: number) =>
    network.chunks.filter(({ start, taken }) => start === chunk * chunkBytes && taken === 'stored')
      .length;
  return {
    books: [
      { name: 'the upload is public once, with its bytes', entries: 1, differences },
      {
        name: 'the worker of each chunk was killed',
        entries: chunkCount,
        differences: numbers
          .filter((chunk) => !killedAtMs.has(chunk))
          .map((chunk) => `chunk ${chunk + 1} was not`),
      },
      {
        name: 'each chunk was sent at most twice',
        entries: chunkCount,
        differences: numbers
          .filter((chunk) => (sent.get(chunk) ?? 0) > 2 || storedOf(chunk) !== 1)
          .map((chunk) => `chunk ${chunk + 1}: sent ${sent.get(chunk)}, stored ${storedOf(chunk)}`),
      },
    ],
    facts: {
      'bytes of the upload': chunkCount * chunkBytes,
      'the upload under kills took': inSeconds(published.tookMs),
      'workers killed': killedAtMs.size,
      'chunks sent': numbers.reduce((sum, chunk) => sum + (sent.get(chunk) ?? 0), 0),
      'most sends of one chunk': Math.max(...sent.values()),
      'the longest wait until a chunk was sent again': inSeconds(Math.max(0, ...takeoversMs)),
    },
    memory: published.memory,
  };
}

/** One process sends every chunk, so its memory shows whether anything of a chunk is kept. */
async function uploadInPeace(installation: Installation, file: RandomFile): Promise<Outcome> {
  await using network = await startUploads({ chunkBytes });
  const kind = { file: file.path, chunkBytes };
  const { differences, tookMs, memory } = await publish(installation, network, kind);
  const [post] = await network.listPosts();
  if (post?.options?.['sha256'] !== file.sha256) differences.push('the bytes are not the file');
  return {
    books: [{ name: 'an upload without kills is public once', entries: 1, differences }],
    facts: { 'an upload without kills took': inSeconds(tookMs) },
    memory,
  };
}

async function publishSlowContainer(installation: Installation): Promise<Outcome> {
  const { readyAtCheck, pollMs } = slowContainer;
  await using network = await startContainers({ readyAtCheck });
  const { differences, tookMs, memory } = await publish(installation, network, { pollMs });
  if (network.countContainers() !== 1) {
    differences.push(`${network.countContainers()} containers were made`);
  }
  return {
    books: [{ name: 'a slow container is public once', entries: 1, differences }],
    facts: { 'the slow container took': inSeconds(tookMs) },
    memory,
  };
}

async function publishExpiringContainer(installation: Installation): Promise<Outcome> {
  await using network = await startContainers();
  let commits = 0;
  network.server.onRequest = (moment, { url }) => {
    if (moment === 'before' && url === '/publish' && ++commits === 1) network.expireContainers();
  };
  const { differences, memory } = await publish(installation, network, { pollMs: 100 });
  if (network.countContainers() !== 2 || commits !== 2) {
    differences.push(`${network.countContainers()} containers were made, in ${commits} commits`);
  }
  return {
    books: [{ name: 'an expired container is made again', entries: 1, differences }],
    facts: {},
    memory,
  };
}

/** Publishes one post with two workers, and checks that it is public once. */
async function publish(
  { db, databaseUrl, progress, signal }: Installation,
  network: ServedNetwork,
  kind: WorkerInput['network'],
  watch?: (workers: Workers) => void,
): Promise<{ differences: string[]; tookMs: number; memory: readonly Memory[] }> {
  const post = await writePost(db, network);
  const startedMs = performance.now();
  const workers = startWorkers({
    databaseUrl,
    networkUrl: network.server.url,
    resultId: post.resultIds[0]!,
    network: kind,
  });
  watch?.(workers);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  const stop = () => workers.stop();
  process.on('exit', stop);
  try {
    await Promise.race([workers.end, aborted]);
  } finally {
    stop();
    process.off('exit', stop);
  }
  const tookMs = performance.now() - startedMs;
  const [row] = await listTargets(db, post);
  const posts = await network.listPosts();
  progress(`A target has ended after ${inSeconds(tookMs)}: ${row?.status}.`);
  const differences: string[] = [];
  if (row?.status !== 'published') differences.push(`${row?.status}: ${row?.error_message}`);
  if (posts.length !== 1) differences.push(`${posts.length} posts are public`);
  if (posts[0]?.text !== row?.caption) differences.push('another text is public');
  return { differences, tookMs, memory: workers.memory };
}

const growthMb = ({ idleKb, peakKb }: Memory) => (peakKb - idleKb) / 1_024;

function checkMemory(memory: readonly Memory[]): Book {
  return {
    name: `workers grow by at most ${mostMb} MB`,
    entries: memory.length,
    differences: memory
      .filter((own) => own.idleKb === 0 || growthMb(own) > mostMb)
      .map((own) => `worker ${own.pid}: from ${own.idleKb} kB to ${own.peakKb} kB`),
  };
}

function describeMemory(memory: readonly Memory[]): Record<string, string> {
  const inMb = (mb: number) => `${mb.toFixed(0)} MB`;
  return {
    'most memory of an idle worker': inMb(Math.max(...memory.map(({ idleKb }) => idleKb / 1_024))),
    'most memory of a worker': inMb(Math.max(...memory.map(({ peakKb }) => peakKb / 1_024))),
    'most growth of a worker': inMb(Math.max(...memory.map(growthMb))),
  };
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
