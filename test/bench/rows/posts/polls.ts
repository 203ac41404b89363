// How much longer a thousand posts take while Fanfare polls a network about five hundred others.
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { addAccounts, importAccounts } from '../../endpoints.ts';
import { startInstallation, type Installation } from '../../installation.ts';
import { commitPosts, waitForAllConcluded } from '../../posts.ts';
import { median, type Row } from '../../result.ts';
import { startServerProcess } from '../../server-process.ts';

const polled = 500;
const others = 1_000;
const rounds = 5;
const warmUp = 300;
const accounts = 30;
const polledAccounts = 100;
const timeoutMs = 120_000;
/** Waits for the network double from one second to a minute. After this time, the waits are longer than 15 s. */
const settledMs = 31_000;

export const polls: Row = {
  id: 'polls',
  title:
    `${rounds} rounds of ${others} posts committed at once → the outcome of the last, while ${polled} ` +
    `posts at a simulated Threads have waited for their containers for ${settledMs / 1_000} s; against the ` +
    'same without them',
  async run(progress) {
    await using network = await startServerProcess('containers-process');
    await using installation = await startInstallation({ FANFARE_THREADS_API_URL: network.url });
    const accountIds = await addAccounts(installation, accounts);
    const waiting = await importAccounts(installation, 'threads', polledAccounts);
    const posts = { targets: 1, scheduledAt: null };
    async function conclude(count: number): Promise<number> {
      const ids = await commitPosts(installation, { ...posts, count, accountIds });
      const startedAt = performance.now();
      await waitFor(installation, openOf(ids));
      return (performance.now() - startedAt) / 1_000;
    }

    /** The seconds of the others, while all polled posts wait for the network. */
    async function concludeBeside(): Promise<number> {
      await fetch(`${network.url}/wait`);
      await commitPosts(installation, { ...posts, count: polled, accountIds: waiting });
      await waitFor(installation, withoutPoll);
      await sleep(settledMs);
      const seconds = await conclude(others);
      await fetch(`${network.url}/finish`);
      await waitForAllConcluded(installation, { timeoutMs });
      return seconds;
    }

    await conclude(warmUp);
    const [beside, alone]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      alone.push(await conclude(others));
      beside.push(await concludeBeside());
      progress(`${beside[round]!.toFixed(1)} s; without polls ${alone[round]!.toFixed(1)} s`);
    }
    return {
      id: 'polls',
      value: median(beside),
      unit: 's',
      baseline: median(alone),
      ratio: median(beside.map((seconds, i) => seconds / alone[i]!)),
      samples: beside,
      details: {},
    };
  },
};

const openOf = (ids: readonly string[]) => sql<{ left: number }>`
  select count(*)::int as left from posts where id = any(${ids}::text[]) and status = 'pending'`;

/** Posts at the polled network that have not been asked about yet. */
const withoutPoll = sql<{ left: number }>`
  select count(*)::int as left from post_results
  where platform = 'threads' and status in ('pending', 'publishing') and next_attempt_at is null`;

async function waitFor({ db }: Installation, left: ReturnType<typeof openOf>): Promise<void> {
  const untilMs = performance.now() + timeoutMs;
  while (performance.now() < untilMs) {
    const { rows } = await left.execute(db);
    if (rows[0]!.left === 0) return;
    await sleep(20);
  }
  throw new Error(`Posts are still open after ${timeoutMs} ms.`);
}
