// 300 MB go from a client to the sandbox, and every process is killed once on the way: no byte is lost, no
// part is sent twice but the one in flight, and no process grows with the file.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createProjectWithKey } from '../../api/cli/first-start.ts';
import { migrateDatabase } from '../../api/cli/migrate.ts';
import { startEmbeddedBackends } from '../../api/embedded/backends.ts';
import { findFreePorts } from '../../api/server/ports.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { createApi } from '../support/app/api.ts';
import { readMemoryMb, watchMemory, type MemoryWatch } from '../support/app/process-memory.ts';
import {
  findServer,
  removeDataDirectory,
  startProgram,
  type Program,
} from '../support/app/program.ts';
import { waitForPost } from '../support/app/seed.ts';
import { createProgramDirectory } from '../support/checks/readme.ts';
import { createLargeVideo } from '../support/media/large-video.ts';
import { createMedia, getMedia } from '../support/media/uploads.ts';
import { createBundledDirectory } from '../support/servers/bundled-directory.ts';
import { startPartProxy, type PartProxy, type SentPart } from '../support/servers/part-proxy.ts';
import { findTemporal } from '../support/servers/servers.ts';

const mb = 1_048_576;
const fileMb = 300;
const mostGrownMb = 80;
/** Of each wait, so that a run that hangs ends and cleans up. */
const waitMs = 60_000;

/** The process of one command, and those that replace it. */
interface Role {
  /** Of the first process, before its work. */
  readonly idleMb: number;
  /** Of all processes, with their start. */
  readonly peakMb: number;
  start(): Promise<void>;
  /** Kills the process, and starts another one. */
  replace(): Promise<void>;
}

interface Installation extends AsyncDisposable {
  /** Before the API and its sandbox: clients and the worker reach them here. */
  readonly proxy: PartProxy;
  readonly databaseUrl: string;
  readonly key: string;
  readonly api: Role;
  readonly worker: Role;
  /** The server is started again by itself. */
  kill9(server: 'postgres' | 'temporal'): Promise<void>;
}

async function startInstallation(): Promise<Installation> {
  await using started = new AsyncDisposableStack();
  const dataDirectory = createBundledDirectory();
  started.defer(() => removeDataDirectory(dataDirectory));
  const backends = started.use(
    await startEmbeddedBackends({
      dataDirectory,
      postgres: true,
      temporal: true,
      temporalCli: await findTemporal(),
      progress: () => undefined,
    }),
  );
  const databaseUrl = backends.databaseUrl!;
  const mediaUrl = pathToFileURL(join(dataDirectory, 'media')).href;
  await migrateDatabase(databaseUrl, mediaUrl);
  const { key } = await withDatabase(databaseUrl, (db) => createProjectWithKey(db, 'test'));
  const [port, workerPort] = await findFreePorts([0, 0]);
  const proxy = started.use(await startPartProxy(port!));
  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: backends.temporalAddress!,
    FANFARE_PORT: String(port),
    FANFARE_WORKER_PORT: String(workerPort),
    FANFARE_PUBLIC_URL: proxy.url,
    FANFARE_MEDIA_URL: mediaUrl,
    FANFARE_SANDBOX: 'true',
    FANFARE_SANDBOX_API_URL: `${proxy.url}/sandbox`,
    FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    FANFARE_VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
  const createOwn = (command: string) =>
    started.use(createRole(() => startProgram({ command: [command], dataDirectory, env })));
  const api = createOwn('api');
  const worker = createOwn('worker');
  await Promise.all([api.start(), worker.start()]);
  const all = started.move();
  return {
    proxy,
    databaseUrl,
    key,
    api,
    worker,
    async kill9(name) {
      const pid = findServer(dataDirectory, name)!;
      process.kill(pid, 'SIGKILL');
      const isBack = () => ![undefined, pid].includes(findServer(dataDirectory, name));
      await expect.poll(isBack, { timeout: waitMs }).toBe(true);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function createRole(launch: () => Program): Role & AsyncDisposable {
  const programs: Program[] = [];
  const memory: MemoryWatch[] = [];
  let idleMb = 0;
  async function start(): Promise<void> {
    const program = launch();
    programs.push(program);
    memory.push(watchMemory(program.pid));
    await program.waitForOutput(/"msg":"up"/, { timeoutMs: waitMs });
    idleMb ||= readMemoryMb(program.pid);
  }
  return {
    get idleMb() {
      return idleMb;
    },
    get peakMb() {
      return Math.max(...memory.map((watch) => watch.peakMb));
    },
    start,
    async replace() {
      await programs.at(-1)!.kill9();
      await start();
    },
    async [Symbol.asyncDispose]() {
      for (const watch of memory) watch[Symbol.dispose]();
      await programs.at(-1)?.stop();
    },
  };
}

async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<typeof connectDatabase>['db']) => Promise<T>,
): Promise<T> {
  const connection = connectDatabase({ url, maxConnections: 1, applicationName: 'test' });
  try {
    return await work(connection.db);
  } finally {
    await connection.close();
  }
}

/** Resolves while the part with this byte is on its way. */
async function waitForByte(parts: () => SentPart[], byte: number): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!parts().some(({ start, passedBytes }) => start + passedBytes > byte)) {
    if (Date.now() > deadline) throw new Error(`Byte ${byte} was not sent within ${waitMs} ms.`);
    await sleep(5);
  }
}

const isTaken = ({ status }: SentPart) => status === 200 || status === 308;
const isBroken = ({ status }: SentPart) => status === undefined || status >= 500;
const isRefused = ({ status }: SentPart) => status === 409;

/** The parts that begin before the end of an earlier one. */
function findOverlapping(parts: SentPart[]): SentPart[] {
  return parts.filter(({ start }, i) => parts.slice(0, i).some(({ end }) => end > start));
}

async function download(url: string): Promise<string> {
  const hash = createHash('sha256');
  const response = await fetch(url, { signal: AbortSignal.timeout(waitMs) });
  for await (const chunk of response.body!) hash.update(chunk);
  return hash.digest('hex');
}

test('kill -9 of each process while 300 MB are uploaded and published', async () => {
  await using video = await createLargeVideo(fileMb);
  await using installation = await startInstallation();
  const { proxy, databaseUrl, api: server, worker } = installation;
  const api = createApi(proxy.url, installation.key);
  const startedMs = performance.now();
  const seconds = () => ((performance.now() - startedMs) / 1_000).toFixed(1);
  const uploads = () => proxy.parts.filter(({ path }) => path.startsWith('/uploads/'));
  const sends = () => proxy.parts.filter(({ path }) => path.startsWith('/sandbox/'));

  const connected = await api.post('/v1/accounts/connect', {
    platform: 'sandbox',
    credentials: { handle: 'ada' },
  });
  const { id, upload_url } = await createMedia(api, {
    filename: 'video.mp4',
    content_type: 'video/mp4',
    content_hash: video.sha256,
  });
  using folder = new DisposableStack();
  const programs = folder.adopt(createProgramDirectory(), ({ remove }) => remove());
  const client = programs.extract('docs/media.md', 'upload.mjs');
  const uploading = promisify(execFile)(process.execPath, [client, video.path, upload_url], {
    timeout: waitMs,
  });
  await Promise.all([uploading, waitForByte(uploads, 125 * mb).then(() => server.replace())]);
  const { data } = JSON.parse((await uploading).stdout);
  expect(data).toMatchObject({ id, status: 'uploaded', kind: 'video', duration_ms: 300_000 });
  expect(data.size_bytes).toBe(video.bytes);
  expect(await getMedia(api, id)).toEqual(data);
  const uploadedAfter = seconds();

  const created = await api.post('/v1/posts', {
    caption: 'Every process was killed.',
    account_ids: [connected.body.data.id],
    media_ids: [id],
  });
  expect(created.status, created.text).toBe(202);
  const kills: { name: string; first: number }[] = [];
  for (const [name, atMb, kill] of [
    ['worker', 45, () => worker.replace()],
    ['api', 105, () => server.replace()],
    ['postgres', 165, () => installation.kill9('postgres')],
    ['temporal', 225, () => installation.kill9('temporal')],
  ] as const) {
    await waitForByte(sends, atMb * mb);
    kills.push({ name, first: sends().length - 1 });
    await kill();
  }
  const post = await waitForPost(api, created.body.data.id, { timeoutMs: waitMs });
  expect(post).toMatchObject({ status: 'published' });
  const publishedAfter = seconds();

  const memory = Object.entries({ api: server, worker }).map(([name, { idleMb, peakMb }]) => ({
    name,
    idleMb: Math.round(idleMb),
    grownMb: Math.round(peakMb - idleMb),
  }));

  // At the sandbox: one post, and the file.
  const posts = await withDatabase(databaseUrl, (db) =>
    db.selectFrom('sandbox_posts').select(['reference', 'media']).execute(),
  );
  const mediaId = sends()[0]!.path.split('/').at(-1)!;
  expect(posts).toEqual([{ reference: post.results[0]!.id, media: [mediaId] }]);
  expect(await download(`${proxy.url}/sandbox/media/${mediaId}`)).toBe(video.sha256);

  // The client repeats one part. While the lease of the dead writer lasts, it is refused.
  expect(findOverlapping(uploads().filter(isTaken))).toEqual([]);
  expect(uploads().filter(isBroken)).toHaveLength(1);
  expect(new Set(findOverlapping(uploads()).map(({ start }) => start)).size).toBe(1);

  // Each kill breaks off one part at most. The next attempt continues where the bytes end.
  expect(findOverlapping(sends().filter((part) => !isBroken(part)))).toEqual([]);
  const counts = kills.map(({ name, first }, i) => {
    const after = sends().slice(first, kills[i + 1]?.first);
    return { name, broken: after.filter(isBroken).length };
  });
  for (const { name, broken } of counts) {
    expect(broken, `parts that broke off at the kill of ${name}`).toBeLessThanOrEqual(1);
  }
  // A part may end when its sender is dead, while the next attempt has the place where it was.
  expect(sends().filter(isRefused).length).toBeLessThanOrEqual(1);

  console.log(
    `Uploaded after ${uploadedAfter} s, published after ${publishedAfter} s; ` +
      `${counts.map(({ name, broken }) => `${name}: ${broken} broken`).join('; ')}; ` +
      `${sends().filter(isRefused).length} sent again; ` +
      memory.map(({ name, idleMb, grownMb }) => `${name}: ${idleMb} + ${grownMb} MB`).join('; '),
  );
  for (const { name, idleMb, grownMb } of memory) {
    if (process.platform === 'linux') expect(idleMb).toBeGreaterThan(0);
    expect(grownMb, `growth of ${name}`).toBeLessThanOrEqual(mostGrownMb);
  }
}, 300_000);
