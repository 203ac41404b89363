// `npm run chaos`: a load of posts on a whole installation under faults, and its books at the end.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { balance, findLatestMs, type Book } from './books/books.ts';
import { createChaosClient } from './client.ts';
import { startCluster, type Cluster } from './cluster/cluster.ts';
import { readFacts, readLastChange, waitUntilSettled, type Sources } from './books/facts.ts';
import { startLiveClients } from './live-clients.ts';
import { connectAccount, startLoad } from './load.ts';
import { readOptions, type Options } from './options.ts';
import { handles } from './planned-posts.ts';
import { createRandom } from './random.ts';
import { startReceivers } from './receivers.ts';
import { createProgress, printBooks, printPlan } from './books/report.ts';
import type { Window } from './books/repeats.ts';
import { runUpload } from './upload/run.ts';

const perSecond = 3;
const quietMs = 1_000;
/** A receiver may have taken a delivery this long before its outcome is recorded. */
const inFlightMs = 5_000;
/** Longer than the lease of a refresh whose worker was killed, for which the posts of its account wait. */
const settleMs = 150_000;
const interrupted = new AbortController();

async function run({ seed, isShort, faults, logs }: Options): Promise<boolean> {
  printPlan(seed, faults);
  const progress = createProgress();
  const cluster = await startCluster(interrupted.signal);
  const stop = () => cluster.stop();
  try {
    progress('The installation is up.');
    const random = createRandom(seed, 'faults at work');
    const client = createChaosClient(cluster.urls, cluster.key);
    const accountIds: string[] = [];
    for (const handle of handles) accountIds.push(await connectAccount(client, handle));
    await using receivers = await startReceivers(client, createRandom(seed, 'receivers'));
    const firstChange = await readLastChange(cluster);
    const liveClients = await startLiveClients(cluster.urls, cluster.key);
    const most = isShort ? 200 : 2_000;
    const mostAheadMs = isShort ? 5_000 : 12_000;
    const load = startLoad({ client, accountIds, seed, perSecond, most, mostAheadMs });
    const lostWindows: Window[] = [];
    const faultWindows: Window[] = [];
    const recovery: Book = {
      name: 'every process serves again in time',
      entries: 0,
      differences: [],
    };

    const beforeAndAfterMs = isShort ? 1_000 : 6_000;
    await sleep(beforeAndAfterMs);
    for (const fault of faults) {
      progress(fault.name);
      recovery.entries++;
      const faultFrom = new Date(Date.now() - inFlightMs);
      const restored = (from: Date) => void lostWindows.push({ from, to: new Date() });
      await fault.run({ cluster, client, load, random, restored }).catch((error: unknown) => {
        recovery.differences.push(`${fault.name}: ${(error as Error).message.trim()}`);
        progress(recovery.differences.at(-1)!);
      });
      client.release();
      const { backInS = 45 } = fault;
      const silent = await cluster.findSilent(backInS * 1_000);
      if (silent.length > 0) {
        recovery.differences.push(`${fault.name}: not in ${backInS} s: ${silent.join(', ')}`);
      }
      faultWindows.push({ from: faultFrom, to: new Date() });
      await sleep(quietMs);
    }
    progress('The faults are over.');
    await sleep(beforeAndAfterMs);
    await load.stop(isShort ? 20_000 : 60_000);
    const sources: Sources = {
      cluster,
      posts: load.posts,
      receivers,
      liveClients,
      firstChange,
      lostWindows,
      // What a restored copy doesn't know as delivered is delivered again.
      faultWindows: [...faultWindows, ...lostWindows],
    };
    await waitUntilSettled(sources, settleMs);
    progress('Nothing is under way, or the time is up.');
    const facts = await readFacts(sources);
    await Promise.all(liveClients.map((one) => one.close()));
    const requests = { name: 'requests were answered', entries: load.posts.length };
    const isBalanced = printBooks(
      [recovery, { ...requests, differences: [...load.differences] }, ...balance(facts)],
      {
        'posts accepted': facts.accepted.length,
        'targets public': facts.published.length,
        'webhook requests received': facts.receipts.length,
        'requests repeated by clients': client.repeats,
        'the longest wait for an answer': inSeconds(client.slowestMs),
        'the latest scheduled target': inSeconds(findLatestMs(facts)),
        'streams resumed': liveClients.reduce((sum, { resumes }) => sum + resumes, 0),
      },
    );
    return isBalanced;
  } finally {
    if (logs) keepLogs(cluster, logs);
    await stop();
  }
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
