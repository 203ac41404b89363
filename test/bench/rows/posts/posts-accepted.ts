// Posts accepted per second against a bare server that makes the same inserts, side by side.
import { randomUUID } from 'node:crypto';
import { startApi } from '../../processes/api-program.ts';
import type { BarePostsOptions } from '../../processes/bare-posts-process.ts';
import { addAccounts } from '../../endpoints.ts';
import { cpuSeconds } from '../../footprint.ts';
import { startInstallation, type Installation } from '../../installation.ts';
import { runRequests } from '../../request-loop.ts';
import { median, type Row } from '../../result.ts';
import { startServerProcess } from '../../server-process.ts';

const count = 4_000;
const warmUp = 1_000;
const rounds = 3;
const connections = 32;
/** Posts go to the accounts in turn, because counting the usage of an account locks its row. */
const accounts = 50;
const caption = 'Out now, on every network at once.';
/** Connections of each server to Postgres: the program's default. */
const databaseConnections = 20;
/** More than all posts, so that no account comes close to it. */
const monthlyLimit = 1_000_000;

export const postsAccepted: Row = {
  id: 'posts_accepted',
  title:
    `${rounds} rounds of ${count} POST /v1/posts to one target, a day ahead, over ${connections} ` +
    'connections, by a process of the role `api`, with an Idempotency-Key and a monthly limit; ' +
    '`plain`: without them',
  async run(progress) {
    await using installation = await startInstallation();
    const accountIds = await addAccounts(installation, accounts);
    // Starting workflows would use CPU while either server is measured.
    await installation.program.stop();
    const full = await measure(installation, accountIds, true, progress);
    const plain = await measure(installation, accountIds, false, progress);
    const sent = 2 * (warmUp + rounds * count);
    await checkStored(installation, 2 * sent, ['posts', 'post_results', 'outbox']);
    await checkStored(installation, sent, ['idempotency_keys']);
    return {
      id: 'posts_accepted',
      value: median(full.accepted),
      unit: '/s',
      baseline: median(full.bare),
      ratio: ratioOf(full),
      samples: full.accepted,
      details: {
        cpu_us: median(full.cpuMicroseconds),
        plain: median(plain.accepted),
        plain_against: median(plain.bare),
        plain_ratio: ratioOf(plain),
        plain_cpu_us: median(plain.cpuMicroseconds),
      },
    };
  },
};

/** Figures of each round. */
interface Measured {
  accepted: number[];
  bare: number[];
  cpuMicroseconds: number[];
}

const ratioOf = ({ accepted, bare }: Measured) =>
  median(accepted.map((rate, i) => rate / bare[i]!));

/** `isFull`: with an Idempotency-Key for each request, and a monthly limit. */
async function measure(
  installation: Installation,
  accountIds: readonly string[],
  isFull: boolean,
  progress: (line: string) => void,
): Promise<Measured> {
  await using ours = await startApi(installation, {
    FANFARE_MONTHLY_POSTS_PER_ACCOUNT: String(isFull ? monthlyLimit : 0),
  });
  const options: BarePostsOptions = {
    databaseUrl: installation.databaseUrl,
    connections: databaseConnections,
    projectId: installation.projectId,
    monthlyLimit: isFull ? monthlyLimit : null,
  };
  await using bare = await startServerProcess('bare-posts-process', JSON.stringify(options));
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  // Each post has a text of its own, as a client's posts have.
  let sent = 0;
  const body = (number: number) =>
    JSON.stringify({
      caption: `${caption} ${sent++}`,
      account_ids: [accountIds[number % accounts]!],
      scheduled_at,
    });
  const headers = () => ({
    authorization: `Bearer ${ours.api.key}`,
    ...(isFull && { 'idempotency-key': randomUUID() }),
  });
  const toOurs = { url: `${ours.api.url}/v1/posts`, headers, body, count, connections };
  const toBare = { ...toOurs, url: bare.url };
  for (const loop of [toOurs, toBare]) await runRequests({ ...loop, count: warmUp });

  const measured: Measured = { accepted: [], bare: [], cpuMicroseconds: [] };
  for (let round = 0; round < rounds; round++) {
    measured.bare.push(await runRequests(toBare));
    const before = cpuSeconds(ours.program.pid);
    measured.accepted.push(await runRequests(toOurs));
    measured.cpuMicroseconds.push(((cpuSeconds(ours.program.pid) - before) / count) * 1e6);
    progress(
      `${isFull ? 'full' : 'plain'}: ${measured.accepted.at(-1)!.toFixed(0)}/s; ` +
        `bare server ${measured.bare.at(-1)!.toFixed(0)}/s`,
    );
  }
  return measured;
}

/** Throws unless each table has this number of rows. */
async function checkStored(
  { db }: Installation,
  expected: number,
  tables: readonly ('posts' | 'post_results' | 'outbox' | 'idempotency_keys')[],
): Promise<void> {
  for (const table of tables) {
    const { n } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .executeTakeFirstOrThrow();
    if (Number(n) !== expected) throw new Error(`${table} has ${n} rows instead of ${expected}.`);
  }
}
