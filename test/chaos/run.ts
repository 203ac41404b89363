// `npm run chaos`: a load of posts on a whole installation under faults, and its books at the end.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAccounts } from './accounts.ts';
import { balance, findLatestMs } from './books/books.ts';
import {
  createProgress,
  describePace,
  describeRepeats,
  printBooks,
  printPlan,
} from './books/report.ts';
import { settle } from './books/settling.ts';
import { findStalls } from './books/stalls.ts';
import { planBursts, projectCount, type Burst } from './bursts.ts';
import { createChaosClient } from './client.ts';
import { startCluster, type Cluster } from './cluster/cluster.ts';
import { readFacts, readLastChange } from './books/facts.ts';
import type { Book, Loss, Window } from './books/records.ts';
import { explainRepeats } from './books/repeats.ts';
import type { Fault, Scene } from './faults.ts';
import { startLiveClients } from './live-clients.ts';
import { startLoad, type Load } from './load.ts';
import { measurePace } from './machine.ts';
import { readOptions, type Options } from './options.ts';
import { createRandom } from './random.ts';
import { startReceivers } from './receivers.ts';
import { runUpload } from './upload/run.ts';

const quietMs = 1_000;
/** How long a quiet machine takes from a request to a receiver until its outcome is recorded, at most. */
const flightMs = 5_000;
/** Longer than the lease of a refresh whose worker was killed, for which the posts of its account wait. */
const settleMs = 150_000;
/** Many times the sweeper's interval and every wait of the settings. */
const watchMs = 20_000;
const interrupted = new AbortController();

async function run({ seed, isShort, faults, logs }: Options): Promise<boolean> {
  printPlan(seed, faults);
  const progress = createProgress();
  const cluster = await startCluster(interrupted.signal, projectCount);
  try {
    progress('The installation is up.');
    const { urls } = cluster;
    const keys = cluster.projects.map(({ key }) => key);
    const starter = createChaosClient(urls, keys);
    const accountIds = await connectAccounts(starter, projectCount);
    const receiverRandom = createRandom(seed, 'receivers');
    await using receivers = await startReceivers(starter, receiverRandom, projectCount);
    const firstChange = await readLastChange(cluster);
    const liveClients = await startLiveClients(urls, keys);
    const pace = await measurePace(starter, accountIds[0]![0]!);
    progress(describePace(pace));

    const { perSecond, deadline } = pace;
    const client = createChaosClient(urls, keys, deadline);
    const most = isShort ? 200 : 2_000;
    const mostAheadMs = isShort ? 5_000 : 12_000;
    const load = startLoad({ client, accountIds, seed, perSecond, most, mostAheadMs });

    const beforeAndAfterMs = isShort ? 1_000 : 6_000;
    await sleep(beforeAndAfterMs);
    const random = createRandom(seed, 'faults at work');
    const scene = { cluster, client, load, random, deadline };
    const bursts = planBursts(seed, faults.length, isShort);
    const { recovery, losses, lostWindows } = await causeFaults(faults, bursts, scene, progress);
    progress('The faults are over.');
    await sleep(beforeAndAfterMs);
    await load.stop(deadline(isShort ? 20_000 : 60_000));
    const sources = {
      cluster,
      load,
      receivers,
      liveClients,
      firstChange,
      lostWindows,
      losses,
      flightMs: deadline(flightMs),
    };
    const patience = { settleMs: deadline(settleMs), watchMs: deadline(watchMs) };
    const watched = await settle(sources, patience);
    progress(watched.open.size > 0 ? 'The time is up.' : 'Nothing is under way.');
    const { workers } = cluster;
    const stalls = findStalls(workers.map((worker) => worker.output()));
    const facts = await readFacts({ ...sources, watched, losses: [...losses, ...stalls] });
    const requests: Book = {
      name: 'requests were answered',
      entries: load.posts.length,
      differences: [...load.differences],
      late: [...load.waiting].map((name) => `the client of ${name} still waits`),
    };
    cluster.thaw();
    await Promise.all(liveClients.map((one) => one.close()));
    return printBooks([recovery, requests, ...balance(facts)], {
      'posts accepted': facts.accepted.length,
      '  in bursts': countBurstPosts(bursts, load),
      'targets public': facts.published.length,
      'webhook requests received': facts.receipts.length,
      'requests repeated by clients': client.repeats,
      'the longest wait for an answer': inSeconds(client.slowestMs),
      'the latest scheduled target': inSeconds(findLatestMs(facts)),
      'streams resumed': liveClients.reduce((sum, { resumes }) => sum + resumes, 0),
      ...describeRepeats(explainRepeats(facts)),
    });
  } finally {
    if (logs) keepLogs(cluster, logs);
    await cluster.stop();
  }
}

function countBurstPosts(bursts: readonly Burst[], { posts }: Load): string {
  const accepted = new Set(posts.map(({ plan }) => plan));
  const planned = bursts.flatMap((burst) => burst.posts);
  return `${planned.filter((plan) => accepted.has(plan)).length} of ${planned.length}`;
}

type Running = Omit<Scene, 'lose' | 'restored'>;

/**
 * The posts of a burst that are due together are there before the fault. Those that are published at once come
 * with it. Resolves once that fault may begin; `created`: once every request of the burst was answered.
 */
async function startBurst(
  { posts, aheadMs }: Burst,
  { load, deadline }: Running,
  progress: (line: string) => void,
): Promise<{ created: Promise<void> }> {
  if (aheadMs === undefined) {
    progress(`burst: ${posts.length} posts at once`);
    return { created: load.burst(posts, undefined) };
  }
  const scheduledAt = new Date(Date.now() + deadline(aheadMs));
  progress(`burst: ${posts.length} posts due in ${inSeconds(deadline(aheadMs))}`);
  await load.burst(posts, scheduledAt);
  return { created: Promise.resolve() };
}

/** One after the other. Each is over once every process serves again, and its burst was accepted. */
async function causeFaults(
  faults: readonly Fault[],
  bursts: readonly Burst[],
  running: Running,
  progress: (line: string) => void,
): Promise<{ recovery: Book; losses: Loss[]; lostWindows: Window[] }> {
  const { cluster, client, deadline } = running;
  const losses: Loss[] = [];
  const lostWindows: Window[] = [];
  const recovery: Book = {
    name: 'every process serves again in time',
    entries: faults.length,
    differences: [],
  };
  for (const [i, fault] of faults.entries()) {
    const { backInS = 45 } = fault;
    const name = `fault ${i + 1}, ${fault.name}`;
    const burst = bursts.find((one) => one.fault === i);
    const started = burst && (await startBurst(burst, running, progress));
    progress(name);
    const ends: (() => void)[] = [];
    const lose = (from = new Date()) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      void promise.then(() => losses.push({ name, from, to: new Date() }));
      ends.push(resolve);
      return resolve;
    };
    const restored = (from: Date) => {
      const window = { from, to: new Date() };
      lostWindows.push(window);
      losses.push({ name, ...window });
    };
    await fault.run({ ...running, lose, restored }).catch((error: unknown) => {
      recovery.differences.push(`${name}: ${(error as Error).message.trim()}`);
      progress(recovery.differences.at(-1)!);
    });
    client.release();
    const backInMs = deadline(backInS * 1_000);
    const silent = await cluster.findSilent(backInMs);
    if (silent.length > 0) {
      const waited = inSeconds(backInMs);
      recovery.differences.push(`${name}: not in ${waited}: ${silent.join(', ')}`);
    }
    for (const end of ends) end();
    await started?.created;
    await sleep(quietMs);
  }
  return { recovery, losses, lostWindows };
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function keepLogs(cluster: Cluster, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, output] of Object.entries(cluster.output())) {
    writeFileSync(join(directory, `${name}.log`), output);
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => {
    process.exitCode = code;
    interrupted.abort();
  });
}

const options = readOptions(process.argv.slice(2));
if (options) {
  try {
    const { signal } = interrupted;
    const isBalanced = options.isUpload ? await runUpload(options, signal) : await run(options);
    process.exitCode = isBalanced ? 0 : 1;
  } catch (error) {
    if (!interrupted.signal.aborted) console.error(error);
    process.exitCode ||= 1;
  }
  process.exit();
}
