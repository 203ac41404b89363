// Posts to Facebook, Instagram and Threads, of every form that needs several calls. A run without a fault records the
// calls. Then each of them is in flight when its worker is killed, and a second worker takes over.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrateDatabase } from '../../../api/cli/migrate.ts';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import type { Outcome, Post } from '../../../schema/posts/posts.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { startWorkers, type WorkerPrograms } from '../../support/app/worker-programs.ts';
import { noise, video } from '../../support/media/samples.ts';
import { createMedia, putBytes } from '../../support/media/uploads.ts';
import {
  numberNames,
  startMetaNetworks,
  type Hold,
  type MetaName,
  type MetaNetworks,
  type Moment,
  type SimulatedAccount,
} from '../../support/networks/meta/simulated-accounts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';

interface Form {
  name: string;
  platform: MetaName;
  media?: readonly (keyof typeof files)[];
  placement?: 'feed' | 'reel' | 'story';
  hasComment?: true;
  /** Of a thread. */
  parts?: number;
}

/** The video is upright, as reels of Facebook must be. */
const files = {
  image: { type: 'image/jpeg', encode: () => noise(320, 320).jpeg().toBuffer() },
  otherImage: { type: 'image/jpeg', encode: () => noise(320, 320).jpeg().toBuffer() },
  video: {
    type: 'video/mp4',
    encode: () => video('mp4', 0, { seconds: 4, codedWidth: 720, codedHeight: 1_280 }),
  },
};

const forms: readonly Form[] = [
  {
    name: 'Facebook photo with a comment',
    platform: 'facebook',
    media: ['image'],
    hasComment: true,
  },
  { name: 'Facebook photos', platform: 'facebook', media: ['image', 'otherImage'] },
  { name: 'Facebook video', platform: 'facebook', media: ['video'], placement: 'feed' },
  { name: 'Facebook reel', platform: 'facebook', media: ['video'], placement: 'reel' },
  { name: 'Facebook story of a photo', platform: 'facebook', media: ['image'], placement: 'story' },
  { name: 'Facebook story of a video', platform: 'facebook', media: ['video'], placement: 'story' },
  {
    name: 'Instagram image with a comment',
    platform: 'instagram',
    media: ['image'],
    hasComment: true,
  },
  { name: 'Instagram carousel', platform: 'instagram', media: ['image', 'video'] },
  { name: 'Instagram reel', platform: 'instagram', media: ['video'] },
  { name: 'Instagram story', platform: 'instagram', media: ['image'], placement: 'story' },
  { name: 'Threads image', platform: 'threads', media: ['image'] },
  { name: 'Threads carousel', platform: 'threads', media: ['image', 'video'] },
  { name: 'Threads thread', platform: 'threads', parts: 2 },
];

const vaultKey = randomBytes(32);

let database: TestDatabase;
let networks: MetaNetworks;
let app: TestApp;
let env: Record<string, string>;
const mediaIds = {} as Record<keyof typeof files, string>;
/** Alone, except while a kill is prepared. */
let worker: WorkerPrograms | undefined;

const startWorker = () =>
  startWorkers(app, vaultKey, [
    // Every call that is held needs a connection.
    { ...env, FANFARE_PUBLIC_URL: app.url, FANFARE_DELIVERIES_PER_ENDPOINT: '200' },
  ]);

beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
  networks = await startMetaNetworks();
  const mediaUrl = pathToFileURL(mkdtempSync(join(tmpdir(), 'fanfare-meta-'))).href;
  env = {
    ...networks.env,
    FANFARE_MEDIA_URL: mediaUrl,
    FANFARE_UNAVAILABLE_DELAYS_MS: '200,500,1000',
    FANFARE_RECONCILE_DELAYS_MS: '0,500,1000',
  };
  database = await createTestDatabase();
  await migrateDatabase(database.url, mediaUrl);
  app = await startApp({ database, env, vaultKey, roles: { api: true, worker: false } });
  for (const [name, { type, encode }] of Object.entries(files)) {
    const filename = `file.${type.split('/')[1]}`;
    const { id, upload_url } = await createMedia(app.api, { filename, content_type: type });
    await putBytes(upload_url, await encode());
    mediaIds[name as keyof typeof files] = id;
  }
}, 120_000);
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await app?.stop();
  await networks?.[Symbol.asyncDispose]();
  await database?.drop();
});

interface Connected {
  account: SimulatedAccount;
  accountId: string;
}

/** With a token that lives for longer than the test. */
async function connectAccount({ platform }: Form): Promise<Connected> {
  const account = networks.createAccount(platform);
  const connected = await app.api.post('/v1/accounts/import', {
    platform,
    access_token: account.token,
    expires_at: new Date(Date.now() + 60 * 24 * 3_600_000).toISOString(),
  });
  expect(connected.status, connected.text).toBe(201);
  account.forgetCalls();
  return { account, accountId: connected.body.data.id };
}

interface Run {
  title: string;
  account: SimulatedAccount;
  postId: string;
}

async function publish(title: string, form: Form, connected: Connected): Promise<Run> {
  const { media, placement, hasComment, parts } = form;
  const target = {
    account_id: connected.accountId,
    ...(media && { media_ids: media.map((name) => mediaIds[name]) }),
    ...(placement && { platform_options: { placement } }),
    ...(hasComment && { first_comment: 'More below.' }),
  };
  const inThread = (_: unknown, i: number) => ({
    ...target,
    caption: `Part ${i + 1}.`,
    thread_position: i + 1,
  });
  const created = await app.api.post('/v1/posts', {
    caption: form.name,
    platform_posts: parts === undefined ? [target] : Array.from({ length: parts }, inThread),
  });
  expect(created.status, created.text).toBe(202);
  return { title, account: connected.account, postId: created.body.data.id };
}

/** How a post ended, without what differs from one run to another. */
interface End {
  /** Of its targets and comments. */
  outcomes: Record<string, unknown>[];
  /** At the network. */
  publicCount: number;
  /** Calls that make something public, as the network took them. */
  publishes: string[];
  containers: number;
}

const isPublish = (name: string) =>
  /^POST (?:media_publish|threads_publish|feed|photo_stories|comments|\w+ finish)$/.test(name);
const makesContainer = (name: string) =>
  /^POST (?:media|threads|photos|\w+ start)(?: \d+)?$/.test(name);

async function readEnd({ account, postId }: Pick<Run, 'account' | 'postId'>): Promise<End> {
  const { results } = (await app.api.get(`/v1/posts/${postId}`)).body.data as Post;
  const toShown = ({ status, error_code, external_id, url }: Outcome) => ({
    status,
    error_code,
    hasId: external_id !== null,
    hasUrl: url !== null,
  });
  return {
    outcomes: results.flatMap(({ first_comment, ...result }) =>
      [result, ...(first_comment ? [first_comment] : [])].map(toShown),
    ),
    publicCount: account.listPosts().length,
    publishes: account.taken.filter(isPublish),
    containers: account.countContainers(),
  };
}

async function waitForEnds(runs: readonly Run[]): Promise<void> {
  const titles = new Map(runs.map(({ postId, title }) => [postId, title]));
  const listOpen = async () => {
    const open = await app.context.db
      .selectFrom('posts')
      .select('id')
      .where('id', 'in', [...titles.keys()])
      .where('status', '=', 'pending')
      .execute();
    return open.map(({ id }) => titles.get(id));
  };
  await expect.poll(listOpen, { timeout: 60_000, interval: 200 }).toEqual([]);
}

interface Recorded {
  form: Form;
  calls: string[];
  end: End;
}

/** Publishes one post of each form, without a fault. */
async function record(): Promise<Recorded[]> {
  worker = await startWorker();
  const runs = await Promise.all(
    forms.map(async (form) => publish(form.name, form, await connectAccount(form))),
  );
  await waitForEnds(runs);
  return Promise.all(
    runs.map(async (run, i) => {
      const calls = numberNames(run.account.calls);
      return { form: forms[i]!, calls, end: await readEnd(run) };
    }),
  );
}

let recording: Promise<Recorded[]> | undefined;
const recordOnce = () => (recording ??= record());

test('without a fault, each form is published once by calls that are known', async () => {
  const recorded = await recordOnce();
  const outcomes = recorded.flatMap(({ end }) => end.outcomes);
  expect(outcomes.filter(({ status, hasId }) => status !== 'published' || !hasId)).toEqual([]);
  for (const { form, end } of recorded) {
    const count = (form.parts ?? 1) + (form.hasComment ? 1 : 0);
    expect(end, form.name).toMatchObject({ publicCount: count });
    expect(end.publishes, form.name).toHaveLength(count);
  }
  console.log(recorded.map(({ form, calls }) => `${form.name}: ${calls.join(', ')}`).join('\n'));

  const namesOf = (platform: MetaName) => {
    const own = recorded.filter(({ form }) => form.platform === platform);
    const names = own.flatMap(({ calls }) => calls.map((name) => name.replace(/ \d+$/, '')));
    return [...new Set(names)].toSorted();
  };
  expect(namesOf('facebook')).toEqual([
    'GET status',
    'GET stories',
    'POST comments',
    'POST feed',
    'POST photo_stories',
    'POST photos',
    'POST video-upload',
    'POST video_reels finish',
    'POST video_reels start',
    'POST video_stories finish',
    'POST video_stories start',
    'POST videos finish',
    'POST videos start',
    'POST videos transfer',
  ]);
  expect(namesOf('instagram')).toEqual([
    'GET content_publishing_limit',
    'GET permalink',
    'GET status_code,status',
    'POST comments',
    'POST media',
    'POST media_publish',
  ]);
  expect(namesOf('threads')).toEqual([
    'GET id,status,error_message',
    'GET permalink',
    'GET threads_publishing_limit',
    'POST threads',
    'POST threads_publish',
  ]);
}, 120_000);

interface KilledRun extends Run {
  /** Index of the call that is in flight when its worker dies. */
  index: number;
  hold: Hold;
  /** Of the call before it. */
  pause: Hold | undefined;
}

/** Publishes a post for each of its calls. */
async function publishEach({ form, calls }: Recorded, moment: Moment): Promise<KilledRun[]> {
  const runs: KilledRun[] = [];
  for (const [index, name] of calls.entries()) {
    const connected = await connectAccount(form);
    const hold = connected.account.hold(index, moment);
    // The connector gives this read 6 s, and the second worker needs time to start.
    const isShort = name.startsWith('GET permalink');
    const pause = isShort ? connected.account.hold(index - 1, 'before') : undefined;
    const run = await publish(`${form.name}: ${name}`, form, connected);
    runs.push({ ...run, index, hold, pause });
  }
  return runs;
}

/** Waits until all posts have come so far. Other calls have 20 s. */
async function waitForCalls(runs: readonly KilledRun[], holdOf: (run: KilledRun) => Hold) {
  const listOthers = () => runs.filter((run) => !holdOf(run).isReached).map(({ title }) => title);
  await expect.poll(listOthers, { timeout: 18_000, interval: 20 }).toEqual([]);
}

/** Kills the worker of all these calls beside another one, which stays. */
async function killWorkerOf(runs: readonly KilledRun[]): Promise<void> {
  await waitForCalls(runs, ({ hold, pause }) => pause ?? hold);
  const second = await startWorker();
  for (const { pause } of runs) pause?.resume();
  await waitForCalls(runs, ({ hold }) => hold);
  const inFlight = await app.context.db
    .selectFrom('post_results')
    .select('id')
    .where('status', '=', 'publishing')
    .where('phase_state', '=', 'begun')
    .execute();
  expect(inFlight).toHaveLength(runs.length);
  const dying = worker!;
  worker = second;
  await dying.programs[0]!.kill9();
  for (const { hold } of runs) hold.drop();
  await dying[Symbol.asyncDispose]();
}

test.each(['before', 'after'] as const)(
  'a post is published once if its worker is killed at any call %s the network acts on it',
  async (moment) => {
    const recorded = await recordOnce();
    const startedMs = performance.now();
    const runs = (await Promise.all(recorded.map((each) => publishEach(each, moment)))).flat();
    await killWorkerOf(runs);
    const killedMs = performance.now();
    await waitForEnds(runs);
    const seconds = [killedMs - startedMs, performance.now() - killedMs].map((ms) =>
      (ms / 1_000).toFixed(1),
    );
    console.log(
      `${runs.length} calls were in flight after ${seconds[0]} s; all posts ended ${seconds[1]} s after the kill`,
    );

    const ends: Record<string, End> = {};
    for (const run of runs) {
      const name = numberNames(run.account.calls)[run.index];
      const [form] = run.title.split(':');
      ends[`${form}: ${name}`] = await readEnd(run);
    }
    const expected = recorded.flatMap(({ form, calls, end }) =>
      calls.map((name): [string, End] => {
        // Nobody learned of it, so another one was made.
        const lost = moment === 'after' && makesContainer(name) ? 1 : 0;
        return [`${form.name}: ${name}`, { ...end, containers: end.containers + lost }];
      }),
    );
    expect(ends).toEqual(Object.fromEntries(expected));
  },
  120_000,
);
