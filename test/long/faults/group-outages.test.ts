// Two workers publish groups of posts while a worker, its clock, Postgres or Temporal fails: each post is public once.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { useApp } from '../../support/app/app.ts';
import { startWorkers, type WorkerPrograms } from '../../support/app/worker-programs.ts';
import {
  countStatuses,
  createPosts,
  expectEachDelivered,
  expectPublishedOnce,
  type SentPost,
} from '../../support/checks/published-once.ts';
import { elapse } from '../../support/elapse.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { createTestPool } from '../../support/rows/pool.ts';
import { startProxy, type Proxy } from '../../support/servers/proxy.ts';

const names = ['worker-0', 'worker-1'] as const;
type Name = (typeof names)[number];
/** How long after a post is public the network answers. */
const callMs = 1_000;
const clockShift = new URL('../../chaos/clock-shift.ts', import.meta.url).href;
const vaultKey = randomBytes(32);

const app = useApp({ roles: { api: true, worker: false }, vaultKey });
let postgres: Proxy;
let temporal: Proxy;
let network: Receiver;
let receiver: Receiver;
let workers: WorkerPrograms;
let accountId: string;
/** The commits that the network got. */
let commits: { worker: Name; resultId: string }[] = [];

beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
  [postgres, temporal, network, receiver] = await Promise.all([
    startProxy(new URL(app.database.url)),
    startProxy(new URL(`tcp://${app.namespace.address}`)),
    startFront(),
    startReceiver(),
  ]);
  // Each call that a worker begins names the worker.
  await sql`alter table post_attempts add column worker text
    default current_setting('application_name')`.execute(app.database.db);
  workers = await startWorkers(app, vaultKey, names.map(environmentOf));
  await app.tenant.createWebhook(receiver.url, ['post.published']);
  accountId = (await app.tenant.connectSandbox('ada')).id;
});

afterAll(async () => {
  await workers?.[Symbol.asyncDispose]();
  await Promise.all([postgres?.cut(), temporal?.cut(), network?.close(), receiver?.close()]);
});

function environmentOf(name: Name): Record<string, string> {
  const databaseUrl = new URL(postgres.urlOf(app.database.url));
  databaseUrl.searchParams.set('application_name', name);
  return {
    NODE_OPTIONS: `--import ${clockShift}`,
    DATABASE_URL: databaseUrl.href,
    TEMPORAL_ADDRESS: temporal.address,
    FANFARE_SANDBOX: 'true',
    FANFARE_SANDBOX_API_URL: `${network.url}/${name}`,
    FANFARE_RECONCILE_DELAYS_MS: '0,500,1000',
  };
}

/** A server in front of the sandbox, at a path of its own for each worker. */
function startFront(): Promise<Receiver> {
  return startReceiver({
    async respond({ method, path, headers, body, json }) {
      const [, worker, ...rest] = path.split('/');
      const isCommit = method === 'POST' && rest.join('/') === 'api/posts';
      if (isCommit) commits.push({ worker: worker as Name, resultId: json().reference });
      const answer = await fetch(`${app.url}/sandbox/${rest.join('/')}`, {
        method,
        headers: {
          authorization: String(headers.authorization),
          'content-type': 'application/json',
        },
        ...(method !== 'GET' && { body: new Uint8Array(body) }),
      });
      const answered = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, delayMs: isCommit ? callMs : 0, body: answered };
    },
  });
}

const createGroup = (count: number, post: Record<string, unknown> = {}) =>
  createPosts(app, accountId, count, post);

async function expectAllOnce(posts: SentPost[], { timeoutMs = 90_000 } = {}): Promise<void> {
  await expectPublishedOnce(app, posts, { timeoutMs });
  await expectEachDelivered(receiver, posts);
}

/** Calls that each worker began, and calls that the network got from it. */
async function expectOwnCalls(posts: SentPost[]): Promise<void> {
  const ids = posts.map(({ resultId }) => resultId);
  const begun = await sql<{ worker: Name; resultId: string }>`
    select worker, result_id as "resultId" from post_attempts
    where result_id = any (${ids}) and phase = 'commit'`.execute(app.database.db);
  const keysOf = (calls: { worker: Name; resultId: string }[]) =>
    calls.map(({ worker, resultId }) => `${worker} ${resultId}`).toSorted();
  const made = keysOf(commits.filter(({ resultId }) => ids.includes(resultId)));
  // A worker that stood still may begin a call and not make it.
  expect(keysOf(begun.rows)).toEqual(expect.arrayContaining(made));
  expect(new Set(made).size).toBe(made.length);
}

/** How many targets both workers have begun. */
async function countTakenOver(posts: SentPost[]): Promise<number> {
  const ids = posts.map(({ resultId }) => resultId);
  const { rows } = await sql`
    select result_id from post_attempts where result_id = any (${ids})
    group by result_id having count(distinct worker) > 1`.execute(app.database.db);
  return rows.length;
}

/** Creates posts. Resolves when the network works on some of them, with the worker that sends these. */
async function beginGroup(): Promise<{ creating: Promise<SentPost[]>; sender: Name }> {
  commits = [];
  const creating = createGroup(100);
  await expect.poll(() => commits.length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(20);
  return { creating, sender: commits[0]!.worker };
}

test('a group continues at another worker while its own stands still, and each worker makes only calls that it began', async () => {
  const { creating, sender } = await beginGroup();
  const { pid } = workers.programs[names.indexOf(sender)]!;
  process.kill(pid, 'SIGSTOP');
  const posts = await creating;
  try {
    await elapse(8_000, 'the worker stands still for longer than a call without a heartbeat');
    // Temporal has given the activity to the other worker, which takes the calls over.
    const takenOver = () => countTakenOver(posts);
    await expect.poll(takenOver, { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await expectAllOnce(posts);
  await expectOwnCalls(posts);
}, 180_000);

test('the clocks of both workers are set back one hour in the middle of a group', async () => {
  const { creating } = await beginGroup();
  for (const { pid } of workers.programs) process.kill(pid, 'SIGUSR2');
  const posts = await creating;
  await expectAllOnce(posts);
  await expectOwnCalls(posts);
}, 120_000);

test('rows of a group are locked for 12 s: each post is sent once, and the other posts do not wait', async () => {
  commits = [];
  const pool = createTestPool(app.database.url, 1);
  const holder = await pool.connect();
  try {
    const scheduled_at = new Date(Date.now() + 4_000).toISOString();
    const posts = await createGroup(100, { scheduled_at });
    const held = posts.slice(0, 20).map(({ resultId }) => resultId);
    await holder.query('begin');
    await holder.query('select from post_results where id = any ($1) for update', [held]);
    await elapse(16_000, 'the locks last for 12 s after the posts are due');
    const sent = await countStatuses(app, posts);
    expect(sent['published']).toBeGreaterThanOrEqual(posts.length - held.length);
    await holder.query('commit');
    await expectAllOnce(posts);
    await expectOwnCalls(posts);
    expect(commits.map(({ resultId }) => resultId).toSorted()).toEqual(
      posts.map(({ resultId }) => resultId).toSorted(),
    );
  } finally {
    holder.release(true);
    await pool.end();
  }
}, 120_000);

test('Postgres is silent for 20 s in the middle of a group', async () => {
  const { creating } = await beginGroup();
  postgres.silence();
  const posts = await creating;
  await elapse(20_000, 'the silence lasts longer than every query, heartbeat and claim');
  postgres.restore();
  await expectAllOnce(posts);
  await expectOwnCalls(posts);
}, 180_000);

test('Temporal is away for a minute while 500 posts are created', async () => {
  commits = [];
  await temporal.cut();
  const posts = await createGroup(500);
  await elapse(60_000, 'the outage lasts a minute');
  expect(await countStatuses(app, posts)).toEqual({ pending: 500 });
  await temporal.reopen();
  await expectAllOnce(posts, { timeoutMs: 120_000 });
  await expectOwnCalls(posts);
}, 300_000);
