// Posts to Facebook, Instagram and Threads, of every form that needs several calls. A recording of a post names its
// calls. Then each call is in flight when its worker is killed, and a second worker takes over.
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

/** The calls of a post whose worker lived. */
interface Recorded {
  title: string;
  form: Form;
  /** Index of the call whose answer was lost. Undefined: none was. */
  lost: number | undefined;
  calls: string[];
  end: End;
}

/** A post whose worker dies while this call is in flight. */
interface Case {
  recorded: Recorded;
  index: number;
  moment: Moment;
}

interface Connected {
  account: SimulatedAccount;
  accountId: string;
}

interface Run extends Pick<Connected, 'account'> {
  title: string;
  postId: string;
}

interface KilledRun extends Run {
  of: Case;
  hold: Hold;
  /** Of the call before it. */
  pause: Hold | undefined;
}

const isPublish = (name: string) =>
  /^POST (?:media_publish|threads_publish|feed|photo_stories|comments|\w+ finish)(?: \d+)?$/.test(
    name,
  );
const makesContainer = (name: string) =>
  /^POST (?:media|threads|photos|\w+ start)(?: \d+)?$/.test(name);

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

async function readEnd({ account, postId }: Run): Promise<End> {
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

/** `lost`: as that of the record. */
async function record(
  wanted: readonly Pick<Recorded, 'title' | 'form' | 'lost'>[],
): Promise<Recorded[]> {
  const runs: Run[] = [];
  for (const { title, form, lost } of wanted) {
    const connected = await connectAccount(form);
    if (lost !== undefined) connected.account.hold(lost, 'after').drop();
    runs.push(await publish(title, form, connected));
  }
  await waitForEnds(runs);
  return Promise.all(
    wanted.map(async (each, i) => {
      const run = runs[i]!;
      return { ...each, calls: numberNames(run.account.calls), end: await readEnd(run) };
    }),
  );
}

async function recordAll() {
  worker = await startWorker();
  const clean = await record(forms.map((form) => ({ title: form.name, form, lost: undefined })));
  const lost = clean.flatMap(({ form, calls }) =>
    calls.flatMap((name, i) =>
      isPublish(name) ? [{ title: `${form.name}, ${name} lost`, form, lost: i }] : [],
    ),
  );
  return { clean, lost: await record(lost) };
}

let recording: ReturnType<typeof recordAll> | undefined;
const recordOnce = () => (recording ??= recordAll());

async function publishCase(of: Case, connected: Connected): Promise<KilledRun> {
  const { account } = connected;
  const { recorded, index, moment } = of;
  const { form, lost, calls } = recorded;
  if (lost !== undefined) account.hold(lost, 'after').drop();
  const hold = account.hold(index, moment);
  // The connector gives this read 6 s, and the second worker needs time to start.
  const isShort = calls[index]!.startsWith('GET permalink');
  const pause = isShort ? account.hold(index - 1, 'before') : undefined;
  return { ...(await publish(titleOf(of), form, connected)), of, hold, pause };
}

const titleOf = ({ recorded: { title, calls }, index, moment }: Case) =>
  `${title}: ${moment} ${calls[index]}`;

/** A call that waits for longer than 20 s fails. */
async function waitForCalls(runs: readonly KilledRun[], holdOf: (run: KilledRun) => Hold) {
  const listOthers = () => runs.filter((run) => !holdOf(run).isReached).map(({ title }) => title);
  await expect.poll(listOthers, { timeout: 18_000, interval: 20 }).toEqual([]);
}

/** Kills the worker of all these calls beside a second one, which stays. */
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

/** Few enough that all of their calls are in flight within 18 s on a busy machine. */
const killedAtOnce = 30;

async function killAtEach(cases: readonly Case[]): Promise<void> {
  for (let i = 0; i < cases.length; i += killedAtOnce) {
    await killTogether(cases.slice(i, i + killedAtOnce));
  }
}

async function killTogether(cases: readonly Case[]): Promise<void> {
  const accounts: Connected[] = [];
  for (const { recorded } of cases) accounts.push(await connectAccount(recorded.form));
  const startedMs = performance.now();
  const runs: KilledRun[] = [];
  for (const [i, each] of cases.entries()) runs.push(await publishCase(each, accounts[i]!));
  await killWorkerOf(runs);
  const killedMs = performance.now();
  await waitForEnds(runs);
  const toSeconds = (ms: number) => (ms / 1_000).toFixed(1);
  console.log(
    `${runs.length} calls, in flight for up to ${toSeconds(killedMs - startedMs)} s. ` +
      `Their posts ended within ${toSeconds(performance.now() - killedMs)} s of the kill.`,
  );

  const ends: Record<string, End> = {};
  for (const run of runs) {
    // Its first calls are those of the record.
    const calls = numberNames(run.account.calls);
    const recorded = { ...run.of.recorded, calls };
    ends[titleOf({ ...run.of, recorded })] = await readEnd(run);
  }
  const expected = cases.map((each): [string, End] => {
    const { recorded, index, moment } = each;
    const { calls, end } = recorded;
    // Nobody learned of it, so another one was made.
    const unused = moment === 'after' && makesContainer(calls[index]!) ? 1 : 0;
    return [titleOf(each), { ...end, containers: end.containers + unused }];
  });
  expect(ends).toEqual(Object.fromEntries(expected));
}

/** `from`: index of the first call. */
const casesOf = (recorded: Recorded, moment: Moment, from = 0): Case[] =>
  recorded.calls.slice(from).map((_, i) => ({ recorded, index: from + i, moment }));

test('each kind of post is published once, by known calls', async () => {
  const { clean, lost } = await recordOnce();
  for (const { form, end } of clean) {
    const count = (form.parts ?? 1) + (form.hasComment ? 1 : 0);
    const published = { status: 'published', error_code: null, hasId: true };
    expect(end, form.name).toMatchObject({
      outcomes: Array.from({ length: count }, () => published),
      publicCount: count,
    });
    expect(end.publishes, form.name).toHaveLength(count);
  }
  for (const { title, form, end } of lost) {
    expect(end, title).toEqual(clean.find((each) => each.form === form)!.end);
  }
  console.log(
    [...clean, ...lost].map(({ title, calls }) => `${title}: ${calls.join(', ')}`).join('\n'),
  );

  const namesOf = (platform: MetaName) => {
    const own = [...clean, ...lost].filter(({ form }) => form.platform === platform);
    const names = own.flatMap(({ calls }) => calls.map((name) => name.replace(/ \d+$/, '')));
    return [...new Set(names)].toSorted();
  };
  expect(namesOf('facebook')).toEqual([
    'GET comments',
    'GET published_posts',
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
    'GET comments',
    'GET content_publishing_limit',
    'GET media',
    'GET permalink',
    'GET status_code,status',
    'GET stories',
    'POST comments',
    'POST media',
    'POST media_publish',
  ]);
  expect(namesOf('threads')).toEqual([
    'GET id,status,error_message',
    'GET permalink',
    'GET replies',
    'GET threads',
    'GET threads_publishing_limit',
    'POST threads',
    'POST threads_publish',
  ]);
}, 120_000);

test.each(['before', 'after'] as const)(
  'a post is published once if its worker is killed at any call %s the network acts on it',
  async (moment) => {
    const { clean } = await recordOnce();
    await killAtEach(clean.flatMap((each) => casesOf(each, moment)));
  },
  300_000,
);

test('a post whose answer was lost is published once if its worker is killed at any later call', async () => {
  const { lost } = await recordOnce();
  const moments = ['before', 'after'] as const;
  await killAtEach(
    lost.flatMap((each) => moments.flatMap((moment) => casesOf(each, moment, each.lost! + 1))),
  );
}, 300_000);
