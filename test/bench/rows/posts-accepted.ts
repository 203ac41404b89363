// Posts accepted per second against a bare server that makes the same inserts, side by side.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startApi } from '../processes/api-program.ts';
import type { BarePostsOptions } from '../processes/bare-posts-process.ts';
import { addAccounts } from '../endpoints.ts';
import { cpuSeconds } from '../footprint.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { runRequests } from '../request-loop.ts';
import { median, type Row } from '../result.ts';

const count = 4_000;
const warmUp = 1_000;
const rounds = 5;
const connections = 32;
/** Each has one target of its own in every so many posts: what is counted of an account locks it. */
const accounts = 50;
const caption = 'Out now, on every network at once.';
/** Of each server to Postgres; ours by default. */
const databaseConnections = 20;

export const postsAccepted: Row = {
  id: 'posts_accepted',
  title:
    `${rounds} rounds of ${count} POST /v1/posts to one target, a day ahead, over ${connections} ` +
    'connections, by a process of the role `api`',
  async run(progress) {
    await using installation = await startInstallation();
    const accountIds = await addAccounts(installation, accounts);
    // Starting workflows would use CPU while either server is measured.
    await installation.program.stop();
    await using ours = await startApi(installation, { FANFARE_MONTHLY_POSTS_PER_ACCOUNT: '0' });
    await using bare = await startBarePosts({
      databaseUrl: installation.databaseUrl,
      connections: databaseConnections,
      projectId: installation.projectId,
    });
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    // Each post has a text of its own, as a client's posts have.
    let sent = 0;
    const body = (number: number) =>
      JSON.stringify({
        caption: `${caption} ${sent++}`,
        account_ids: [accountIds[number % accounts]!],
        scheduled_at,
      });
    const headers = { authorization: `Bearer ${ours.api.key}` };
    const toOurs = { url: `${ours.api.url}/v1/posts`, headers, body, count, connections };
    const toBare = { url: bare.url, body, count, connections };
    for (const loop of [toOurs, toBare]) await runRequests({ ...loop, count: warmUp });

    const accepted: number[] = [];
    const baseline: number[] = [];
    const cpuMicroseconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      baseline.push(await runRequests(toBare));
      const before = cpuSeconds(ours.program.pid);
      accepted.push(await runRequests(toOurs));
      cpuMicroseconds.push(((cpuSeconds(ours.program.pid) - before) / count) * 1e6);
      progress(`${accepted.at(-1)!.toFixed(0)}/s; bare server ${baseline.at(-1)!.toFixed(0)}/s`);
    }
    await checkStored(installation, 2 * (warmUp + rounds * count));
    return {
      id: 'posts_accepted',
      value: median(accepted),
      unit: '/s',
      baseline: median(baseline),
      ratio: median(accepted.map((rate, i) => rate / baseline[i]!)),
      samples: accepted,
      details: { cpu_us: median(cpuMicroseconds) },
    };
  },
};

async function startBarePosts(
  options: BarePostsOptions,
): Promise<AsyncDisposable & { url: string }> {
  const entry = fileURLToPath(new URL('../processes/bare-posts-process.ts', import.meta.url));
  const child = fork(entry, [JSON.stringify(options)], { stdio: 'inherit' });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** Throws unless each of them left all of its rows. */
async function checkStored({ db }: Installation, expected: number): Promise<void> {
  for (const table of ['posts', 'post_results', 'outbox'] as const) {
    const { n } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .executeTakeFirstOrThrow();
    if (Number(n) !== expected) throw new Error(`${table} has ${n} rows instead of ${expected}.`);
  }
}
