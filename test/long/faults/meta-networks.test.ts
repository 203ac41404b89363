// 300 posts to Facebook, Instagram and Threads, while one call in ten fails or has no answer, and workers are killed.
// Each is public exactly once.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrateDatabase } from '../../../api/cli/migrate.ts';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { createRandom, type Random } from '../../chaos/random.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { startWorkers, type WorkerPrograms } from '../../support/app/worker-programs.ts';
import { elapse } from '../../support/elapse.ts';
import { connectClient, type LiveClient } from '../../support/networks/contract/live-client.ts';
import type { NetworkServer, RunningNetwork } from '../../support/networks/contract/subject.ts';
import { FacebookServer } from '../../support/networks/facebook/server.ts';
import { startNetwork as startFacebook } from '../../support/networks/facebook/subject.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { InstagramServer } from '../../support/networks/instagram/server.ts';
import { startNetwork as startInstagram } from '../../support/networks/instagram/subject.ts';
import { ThreadsServer } from '../../support/networks/threads/server.ts';
import { startNetwork as startThreads } from '../../support/networks/threads/subject.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';

const postsOfEach = 100;
const seed = Number(process.env['SEED'] ?? 1);
const vaultKey = randomBytes(32);

const servers = {
  facebook: new FacebookServer(),
  instagram: new InstagramServer(),
  threads: new ThreadsServer(),
};
const names = ['facebook', 'instagram', 'threads'] as const;
type Name = (typeof names)[number];

const troubles = ['cut', 'refused', 'broken', 'slow', 'answer_lost', 'broken_after'] as const;

/** From now on, one call in ten meets a fault. Half of the faults come after the network took the call. */
function causeTroubles(server: NetworkServer, random: Random): void {
  const answer = server.answer.bind(server);
  server.answer = async (request) => {
    if (random.fraction() > 0.1) return answer(request);
    switch (random.pick(troubles)) {
      case 'cut':
        throw new Error('The connection is cut.');
      case 'refused':
        return server.refuse('unavailable', request);
      case 'broken':
        return server.refuse('error', request);
      case 'slow':
        await elapse(2_000, 'a slow answer');
        return answer(request);
      case 'answer_lost':
        await answer(request);
        throw new Error('The connection is cut.');
      case 'broken_after':
        await answer(request);
        return server.refuse('error', request);
    }
  };
}

let database: TestDatabase;
let app: TestApp;
let env: Record<string, string>;
const networks = {} as Record<Name, RunningNetwork>;
const clients = {} as Record<Name, LiveClient>;
let workers: WorkerPrograms[] = [];

const startWorker = () =>
  startWorkers(app, vaultKey, [
    { ...env, FANFARE_PUBLIC_URL: app.url, FANFARE_LOG_LEVEL: 'silent' },
  ]);

beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
  servers.instagram.quota.total = 1_000;
  servers.instagram.readsUntilFinished.IMAGE = 1;
  networks.facebook = await startFacebook(createSwitchboard(), servers.facebook);
  networks.instagram = await startInstagram(createSwitchboard(), servers.instagram);
  networks.threads = await startThreads(createSwitchboard(), servers.threads);
  const mediaUrl = pathToFileURL(mkdtempSync(join(tmpdir(), 'fanfare-meta-'))).href;
  env = {
    ...networks.facebook.env,
    ...networks.instagram.env,
    ...networks.threads.env,
    FANFARE_MEDIA_URL: mediaUrl,
    FANFARE_UNAVAILABLE_DELAYS_MS: '200,500,1000,2000,4000',
    FANFARE_RECONCILE_DELAYS_MS: '0,500,1000,2000,4000',
    FANFARE_SWEEP_EVERY_S: '1',
    FANFARE_SWEEP_OVERDUE_S: '5',
  };
  database = await createTestDatabase();
  await migrateDatabase(database.url, mediaUrl);
  app = await startApp({ database, env, vaultKey, roles: { api: true, worker: false } });
  for (const platform of names) {
    clients[platform] = await connectClient(app, {
      platform,
      network: networks[platform],
      isByConsent: true,
      ...(platform !== 'threads' && { needsMedia: 'image' }),
      patienceMs: 30_000,
      onPublished: () => undefined,
    });
  }
}, 120_000);
afterAll(async () => {
  await Promise.all(workers.map((each) => each[Symbol.asyncDispose]()));
  await app?.stop();
  await Promise.all(Object.values(networks).map((each) => each[Symbol.asyncDispose]()));
  await database?.drop();
});

/** One after the other, until nothing is left to do. Returns how many. */
async function killWorkers(isOver: () => boolean): Promise<number> {
  for (let kills = 0; ; kills++) {
    for (let waits = 0; waits < 20; waits++) {
      if (isOver()) return kills;
      await elapse(200, 'work of the workers');
    }
    const i = kills % workers.length;
    await workers[i]!.programs[0]!.kill9();
    await workers[i]![Symbol.asyncDispose]();
    workers[i] = await startWorker();
  }
}

const ended = ['published', 'partial', 'failed'];

async function waitForAll(ids: readonly string[]): Promise<Post[]> {
  const deadline = Date.now() + 480_000;
  const posts = new Map<string, Post>();
  while (posts.size < ids.length) {
    for (const id of ids.filter((each) => !posts.has(each))) {
      const post = (await app.api.get(`/v1/posts/${id}`)).body.data as Post;
      if (ended.includes(post.status)) posts.set(id, post);
      else if (Date.now() > deadline) throw new Error(`Not ended: ${JSON.stringify(post)}`);
    }
    await elapse(500, 'posts on their way');
  }
  return [...posts.values()];
}

test('of 300 posts, none is lost and none is public twice', async () => {
  workers = [await startWorker(), await startWorker()];
  const random = createRandom(seed, 'posts');
  for (const name of names) causeTroubles(servers[name], createRandom(seed, name));
  let isOver = false;
  const killing = killWorkers(() => isOver);
  const plans = random.shuffle(
    names.flatMap((name) => Array.from({ length: postsOfEach }, (_, i) => `${name} ${i}`)),
  );
  const ids: string[] = [];
  for (const caption of plans) {
    const client = clients[caption.split(' ')[0] as Name];
    const created = await client.call('POST', '/v1/posts', {
      platform_posts: [client.targetOf({ caption })],
    });
    expect(created.status, created.text).toBe(202);
    ids.push(created.body.data.id);
    await elapse(50, 'the pace of the posts');
  }
  const posts = await waitForAll(ids).finally(() => void (isOver = true));
  const kills = await killing;

  const texts = await Promise.all(
    names.map(async (name) => (await networks[name].listPosts()).map(({ text }) => text)),
  );
  const ends = posts.map(({ results }) => {
    const { caption, status, error_code } = results[0]!;
    // A container that was published twice would be public twice.
    const publicCount = texts.flat().filter((text) => text === caption).length;
    return { caption, status, error_code, publicCount };
  });
  const isOnce = (end: (typeof ends)[number]) =>
    end.status === 'published' && end.publicCount === 1;
  expect(ends.filter((end) => !isOnce(end))).toEqual([]);
  expect(kills).toBeGreaterThan(3);
}, 600_000);
