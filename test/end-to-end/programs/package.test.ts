// The package as a user gets it: what it installs, and the program in a folder that has nothing else.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { findServer, startProgram, type Program } from '../../support/app/program.ts';
import { video } from '../../support/media/samples.ts';
import { createMedia, getMedia, putBytes, uploadPicture } from '../../support/media/uploads.ts';
import { publishByCli, publishByMcp, publishBySdks } from '../../support/package/first-posts.ts';
import {
  installPackage,
  releaseFolder,
  userEnvironment,
  type Installation,
} from '../../support/package/install.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { findTemporal } from '../../support/servers/servers.ts';
import { createTestNamespace } from '../../support/servers/temporal.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await installPackage();
}, 300_000);
afterAll(() => installation?.[Symbol.dispose]());

/** Runs the command of the package, with the Node that the user has. */
function startInstalled(command: string[], env: Record<string, string>): Program {
  return startProgram({
    installed: { program: ['node_modules/.bin/fanfare'], folder: installation.folder },
    command,
    dataDirectory: join(installation.folder, '.data'),
    env: { PATH: userEnvironment()['PATH']!, ...env },
  });
}

const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000;

/** Sends a picture and a video, which processes and threads of their own read. */
async function addMedia(api: Api): Promise<string[]> {
  const picture = await uploadPicture(api);
  const { id, upload_url } = await createMedia(api, {
    filename: 'clip.mp4',
    content_type: 'video/mp4',
  });
  await putBytes(upload_url, await video('mp4'));
  for (const each of [picture, id]) expect((await getMedia(api, each)).status).toBe('uploaded');
  return [picture, id];
}

describe('the installation', () => {
  test('has no bundler, compiler or browser, and few packages', () => {
    const names = Object.keys(installation.packages).map((path) =>
      path.replace(/^.*node_modules\//, ''),
    );
    expect(names).toContain('@temporalio/core-bridge');
    const unwanted =
      /^(webpack|@swc\/.*|typescript|esbuild|vite|rolldown|react|playwright.*|.*chromium|.*puppeteer.*)$/;
    expect(names.filter((name) => unwanted.test(name))).toEqual([]);
    expect(names.length).toBeLessThan(60);
    const size = execFileSync('du', ['-sm', join(installation.folder, 'node_modules')], {
      encoding: 'utf8',
    });
    const seconds = installation.installedInS.toFixed(0);
    console.log(`${names.length} packages, ${size.split('\t')[0]} MB, installed in ${seconds} s`);
  });

  test("comes from npm's registry alone", () => {
    const elsewhere = Object.entries(installation.packages).filter(
      ([path, { resolved }]) =>
        !path.endsWith('/fanfare') &&
        resolved !== undefined &&
        !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere).toEqual([]);
  });

  test('contains no TypeScript, no test and no path of the machine that built it', () => {
    const files = globSync('**/*', { cwd: installation.packageFolder });
    // The docs have an example in TypeScript.
    const others = files.filter((file) => !file.startsWith('docs/examples/'));
    expect(others.filter((file) => /\.ts$|test/.test(file))).toEqual([]);
    const root = join(import.meta.dirname, '../../..');
    const ours = files.filter((file) => /^program\/[^/]+\.(js|map)$/.test(file));
    expect(ours).not.toEqual([]);
    const naming = ours.filter((file) =>
      readFileSync(join(installation.packageFolder, file), 'utf8').includes(`${root}/`),
    );
    expect(naming).toEqual([]);
  });

  test('has the licenses of the packages that it contains', () => {
    const licenses = readFileSync(join(installation.packageFolder, 'LICENSES.md'), 'utf8');
    for (const name of ['@temporalio/worker', 'kysely', 'hono', 'react-dom', 'undici']) {
      expect(licenses).toContain(name);
    }
  });
});

describe('the release', () => {
  const read = (name: string) => readFileSync(join(releaseFolder, name), 'utf8');

  test('lists the packages that it contains and those that npm adds', () => {
    const { metadata, components } = JSON.parse(read('sbom.cdx.json'));
    expect(metadata.component).toMatchObject({ version: packageJson.version });
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['@temporalio/worker', 'kysely', 'react-dom', 'sharp']),
    );
    expect(new Set(components.map((each: { purl: string }) => each.purl)).size).toBe(names.length);
  });

  test('has the sum of each file, and the notes of the changelog', () => {
    const sums = read('SHA256SUMS').trim().split('\n');
    expect(sums).toHaveLength(2);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: releaseFolder });
    expect(read('notes.md')).toMatch(/^### Added/);
  });
});

describe('fanfare start', () => {
  let program: Program;
  let api: Api;
  let startedAt: number;
  beforeAll(async () => {
    const env = { FANFARE_DATA_DIR: '', TEMPORAL_CLI: await findTemporal() };
    startedAt = performance.now();
    program = startInstalled(['start'], env);
    api = await program.waitForReady({ timeoutMs: 110_000 });
    console.log(`ready in ${secondsSince(startedAt).toFixed(1)} s`);
  }, 120_000);
  afterAll(() => program?.stop());

  test('publishes, delivers a signed webhook, and shows the dashboard', async () => {
    await using receiver = await startReceiver();
    const connected = await api.post('/v1/accounts/connect', {
      platform: 'sandbox',
      credentials: { handle: 'carol' },
    });
    expect(connected.status, connected.text).toBe(201);
    const webhook = await api.post('/v1/webhooks', {
      url: receiver.url,
      events: ['post.published'],
    });
    const post = await api.post('/v1/posts', {
      caption: 'From a package',
      account_ids: [connected.body.data.id],
      media_ids: await addMedia(api),
    });
    expect(post.status, post.text).toBe(202);
    const { text, headers } = await receiver.waitFor();
    const message = new Webhook(webhook.body.data.secret).verify(
      text,
      headers as Record<string, string>,
    );
    expect(message).toMatchObject({ event: 'post.published', data: { id: post.body.data.id } });

    const dashboard = await fetch(`${api.url}/dashboard`);
    const [, script] = /<script[^>]+src="([^"]+)"/.exec(await dashboard.text())!;
    expect((await fetch(new URL(script!, api.url))).status).toBe(200);
    for (const path of ['/docs', '/docs/viewer.js', '/v1/openapi.json', '/graphql']) {
      const headers = { Accept: path === '/graphql' ? 'text/html' : '*/*' };
      expect((await fetch(new URL(path, api.url), { headers })).status, path).toBe(200);
    }
  }, 60_000);

  test('takes a first post from the command line, an agent and the SDKs, within 5 minutes', async () => {
    const command = join(installation.folder, 'node_modules/.bin/fanfare');
    await Promise.all([
      publishByCli(api, command, installation.folder),
      publishByMcp(api, command),
      publishBySdks(api),
    ]);
    const seconds = installation.installedInS + secondsSince(startedAt);
    console.log(`installed, started and published by each in ${seconds.toFixed(0)} s`);
    expect(seconds).toBeLessThan(300);
  }, 240_000);

  test('keeps its data here, and leaves no program behind', async () => {
    expect((await program.interrupt()).code).toBe(0);
    const data = join(installation.folder, '.data');
    expect(findServer(data, 'postgres')).toBeUndefined();
    expect(findServer(data, 'temporal')).toBeUndefined();
    expect(readdirSync(installation.packageFolder).toSorted()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'LICENSES.md', 'README.md', 'bin', 'docs', 'package.json'].concat(
        'program',
      ),
    );
  }, 60_000);

  test('says what is missing without Python and internet, and writes nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fanfare-offline-'));
    const tools = mkdtempSync(join(tmpdir(), 'fanfare-tools-'));
    try {
      for (const tool of ['dirname', 'readlink', 'sh', 'uname']) {
        const found = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' });
        symlinkSync(found.trim(), join(tools, tool));
      }
      const offline = pathToFileURL(join(import.meta.dirname, '../../support/package/offline.mjs'));
      const { status, stderr } = spawnSync(
        join(installation.folder, 'node_modules/.bin/fanfare'),
        ['start'],
        {
          cwd: folder,
          encoding: 'utf8',
          env: { PATH: tools, FANFARE_PORT: '0', NODE_OPTIONS: `--import ${offline.href}` },
        },
      );
      expect(stderr).toContain('Temporal was not found. Tried:');
      expect(stderr).toMatch(/download from temporal\.download failed: .*ENOTFOUND/);
      expect(stderr).toContain('python3 was not found');
      expect(stderr).toMatch(/set TEMPORAL_CLI to the path of a `temporal` executable/);
      expect(status).toBe(1);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      for (const each of [folder, tools]) rmSync(each, { recursive: true });
    }
  });
});

describe('fanfare migrate, api and worker', () => {
  const database = useDatabase({ isEmpty: true });

  test('run an installation on servers of its own', async () => {
    await using namespace = await createTestNamespace();
    const media = join(installation.folder, 'media');
    mkdirSync(media);
    const env = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: namespace.address,
      TEMPORAL_NAMESPACE: namespace.namespace,
      FANFARE_SANDBOX: 'true',
      FANFARE_MEDIA_URL: pathToFileURL(media).href,
      FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      FANFARE_DATA_DIR: join(installation.folder, 'role-data'),
    };
    await using migrate = startInstalled(['migrate'], env);
    expect(await migrate.exit, migrate.output()).toEqual({ code: 0, signal: null });
    const { key } = await createProjectWithKey(database.db, 'from a package');
    const [port] = await findFreePorts([0]);
    const url = `http://127.0.0.1:${port}`;
    await using program = startInstalled(['api'], { ...env, FANFARE_PORT: String(port) });
    await using worker = startInstalled(['worker'], {
      ...env,
      FANFARE_SANDBOX_API_URL: `${url}/sandbox`,
    });
    for (const role of [program, worker]) await role.waitForOutput(/"msg":"up"/);
    const api = createApi(url, key);
    const account = await api.post('/v1/accounts/connect', {
      platform: 'sandbox',
      credentials: { handle: 'dan' },
    });
    expect(account.status, account.text).toBe(201);
    const post = await api.post('/v1/posts', {
      caption: 'From two processes',
      account_ids: [account.body.data.id],
    });
    await expect
      .poll(async () => (await api.get(`/v1/posts/${post.body.data.id}`)).body.data.status, {
        timeout: 20_000,
      })
      .toBe('published');
    // The package has the workflow bundle, so a role needs no place to write.
    expect(existsSync(env.FANFARE_DATA_DIR)).toBe(false);
  }, 120_000);

  test('prints its version by npx', () => {
    const version = execFileSync('npx', ['fanfare', '--version'], {
      cwd: installation.folder,
      encoding: 'utf8',
      env: userEnvironment(),
    });
    expect(version).toBe(`${packageJson.version}\n`);
  });
});
