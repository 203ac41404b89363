// Messages to a thousand live sockets, against the same sockets on a bare graphql-ws server.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { toFeedCursor } from '../../../api/live/cursor.ts';
import { readFeedHead } from '../../../schema/database/live/changes.ts';
import { startApi, type RunningApi } from '../processes/api-program.ts';
import type { BareSocketsOptions, Publish } from '../processes/bare-sockets-process.ts';
import { addAccounts } from '../endpoints.ts';
import { cpuSeconds, residentMb } from '../footprint.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, percentile, type Row } from '../result.ts';
import { openSocketClients, type SocketClients } from '../socket-clients.ts';

const sockets = 1_000;
const rounds = 5;
const perRound = 60;
const warmUp = 30;
const latencySeconds = 20;
const idleSockets = 4_000;
const posts = 20;
/** All of them are of one project. */
const noLimits = {
  FANFARE_MAX_SOCKETS_PER_PROJECT: '10000',
  FANFARE_MAX_STREAMS_PER_PROJECT: '10000',
};
const query = `subscription ($after: String) {
  postUpdated(after: $after) {
    cursor change postId
    post { id status caption createdAt results { id status platform accountName url } }
  }
}`;

export const liveFanout: Row = {
  id: 'live_fanout',
  title:
    `${rounds} rounds of ${perRound} changes committed one by one, to ${sockets} GraphQL sockets ` +
    'that a process of the role `api` serves; then at half the rate',
  async run(progress) {
    await using installation = await startInstallation();
    const postIds = await addPosts(installation);
    await installation.program.stop();
    await using ours = await startApi(installation, noLimits);
    await using listeners = await openListeners(installation, ours, sockets);
    const changes = createChanges(installation, postIds);
    await changes.commit(warmUp);
    const { bytes } = await listeners.waitFor(warmUp);
    await using bare = await startBare(bytes);
    await bare.publish(warmUp);

    const samples: number[] = [];
    const baseline: number[] = [];
    const cpuMicroseconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      baseline.push(await rateOf(bare.publish));
      const before = cpuSeconds(ours.program.pid);
      samples.push(
        await rateOf(async (count) => {
          await changes.commit(count);
          return listeners.waitFor(changes.count);
        }),
      );
      const cpuS = cpuSeconds(ours.program.pid) - before;
      cpuMicroseconds.push((cpuS / (perRound * sockets)) * 1e6);
      progress(`${samples.at(-1)!.toFixed(0)}/s; bare server ${baseline.at(-1)!.toFixed(0)}/s`);
    }
    const value = median(samples);
    const latencies = await measureLatency(changes, listeners, value / 2);
    const percentiles = Object.fromEntries(
      [50, 95, 99].map((percent) => [`p${percent}`, percentile(latencies, percent)]),
    );
    progress(`at half the rate: p99 ${percentiles['p99']!.toFixed(0)} ms`);
    return {
      id: 'live_fanout',
      value,
      unit: '/s',
      baseline: median(baseline),
      ratio: median(samples.map((rate, i) => rate / baseline[i]!)),
      samples,
      details: {
        ...percentiles,
        cpu_us: median(cpuMicroseconds),
        message_bytes: bytes,
        idle_socket_kb: await measureIdleSocket(installation),
      },
    };
  },
};

/** Messages per second, from the first change to the last socket. */
async function rateOf(send: (count: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await send(perRound);
  return (perRound * sockets) / ((performance.now() - startedAt) / 1_000);
}

interface Changes {
  /** How many have been committed. */
  readonly count: number;
  /** One after the other; returns when each was. */
  commit(count: number, perSecond?: number): Promise<bigint[]>;
}

function createChanges(
  { db, notifier, projectId }: Installation,
  postIds: readonly string[],
): Changes {
  let next = 0;
  return {
    get count() {
      return next;
    },
    async commit(count, perSecond = Infinity) {
      const startedAt = performance.now();
      const committedNs: bigint[] = [];
      for (let i = 0; i < count; i++) {
        const waitMs = startedAt + (i * 1_000) / perSecond - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        const subject_id = postIds[next % postIds.length]!;
        const kind = `bench.${next++}`;
        await db
          .insertInto('changes')
          .values({ project_id: projectId, subject: 'post', subject_id, kind })
          .execute();
        committedNs.push(process.hrtime.bigint());
        notifier.notify('fanfare_changes');
      }
      return committedNs;
    },
  };
}

/** Milliseconds from the commit of each change to each of the sockets. */
async function measureLatency(
  changes: Changes,
  listeners: SocketClients,
  messagesPerSecond: number,
): Promise<number[]> {
  const perSecond = messagesPerSecond / sockets;
  const first = changes.count;
  const committedNs = await changes.commit(Math.ceil(perSecond * latencySeconds), perSecond);
  const { numbers, arrivalsNs } = await listeners.waitFor(changes.count);
  return Array.from(
    arrivalsNs,
    (atNs, i) => Number(atNs - committedNs[numbers[i]! - first]!) / 1e6,
  );
}

/** What one more socket takes of the memory of a process that has served some. */
async function measureIdleSocket(installation: Installation): Promise<number> {
  await using fresh = await startApi(installation, noLimits);
  const { pid } = fresh.program;
  await using _some = await openListeners(installation, fresh, sockets);
  await sleep(5_000);
  const before = residentMb(pid);
  await using _more = await openListeners(installation, fresh, idleSockets);
  await sleep(5_000);
  return ((residentMb(pid) - before) * 1_024) / idleSockets;
}

/** They begin after what is committed now, whenever the server comes to serve them. */
async function openListeners(
  { db }: Installation,
  { api }: RunningApi,
  count: number,
): Promise<SocketClients> {
  const { epoch, horizon } = await readFeedHead(db);
  return openSocketClients({
    url: `${api.url.replace('http', 'ws')}/graphql`,
    apiKey: api.key,
    sockets: count,
    query,
    variables: { after: toFeedCursor(epoch, { position: { xid: horizon, id: 0n } }) },
  });
}

/** Drafts, so that nothing happens to them but what the bench says. */
async function addPosts(installation: Installation): Promise<string[]> {
  const account_ids = await addAccounts(installation, 2);
  const ids: string[] = [];
  for (let i = 0; i < posts; i++) {
    const answer = await installation.api.post('/v1/posts', {
      caption: 'Out now, on every network at once.',
      status: 'draft',
      account_ids,
    });
    if (answer.status >= 300) throw new Error(`A post was refused: ${answer.text}`);
    ids.push(answer.body.data.id as string);
  }
  return ids;
}

interface BareSockets extends AsyncDisposable {
  publish(count: number): Promise<unknown>;
}

/** Its messages are as long as ours. */
async function startBare(bytes: number): Promise<BareSockets> {
  const entry = fileURLToPath(new URL('../processes/bare-sockets-process.ts', import.meta.url));
  const shell = JSON.stringify({
    id: '1',
    type: 'next',
    payload: { data: { postUpdated: { cursor: 'x'.repeat(40), change: 'bench.00', text: '' } } },
  });
  const options: BareSocketsOptions = { sockets, textLength: bytes - shell.length };
  const child = fork(entry, [JSON.stringify(options)], { stdio: 'inherit' });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const listeners = await openSocketClients({
    url: `ws://127.0.0.1:${port}/`,
    apiKey: null,
    sockets,
    query: 'subscription { postUpdated { cursor change text } }',
    variables: {},
  });
  let published = 0;
  return {
    async publish(count) {
      child.send({ from: published, count } satisfies Publish);
      published += count;
      return listeners.waitFor(published);
    },
    async [Symbol.asyncDispose]() {
      await listeners[Symbol.asyncDispose]();
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
