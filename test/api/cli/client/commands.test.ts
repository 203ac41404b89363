// The commands of users at a real Fanfare: for each exit code and each pipe as a program, the others in this process.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signWebhook } from '../../../../activities/delivering/signature.ts';
import { findAccounts } from '../../../../api/cli/client/accounts.ts';
import { post } from '../../../../api/cli/client/post.ts';
import { watch } from '../../../../api/cli/client/watch.ts';
import { Fanfare } from '../../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { runCommand, type EndedCommand } from '../../../support/clients/commands.ts';
import { terminalOf } from '../../../support/clients/terminal.ts';
import { readBlocks, readPage } from '../../../support/checks/readme.ts';
import { noise } from '../../../support/media/samples.ts';
import { startFaultyProxy } from '../../../support/clients/faulty-proxy.ts';

const program = fileURLToPath(new URL('../../../../api/cli.ts', import.meta.url));

let app: TestApp;
let folder: string;
let ada: string;
beforeAll(async () => {
  app = await startApp();
  folder = await mkdtemp(join(tmpdir(), 'fanfare-commands-'));
  ada = (await app.tenant.connectSandbox('ada')).id;
  await app.tenant.connectSandbox('bob.example');
  await app.tenant.connectSandbox('bob.test');
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

const settings = () => ({
  FANFARE_URL: app.url,
  FANFARE_API_KEY: app.tenant.key,
  FANFARE_DATA_DIR: folder,
});
const environment = () => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ...settings(),
});

const run = (args: string[]) => runCommand(args, settings());

function runProgram(args: string[], input = ''): Promise<EndedCommand> {
  return new Promise((resolve) => {
    const options = { env: environment(), cwd: folder };
    const child = execFile(process.execPath, [program, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin!.end(input);
  });
}

const now = ['--yes', '--wait', '20s', '--json'];
const outcome = (name: string) => `Text of ${name} [sandbox outcome=${name}]`;

describe('post', () => {
  test('publishes to an account by its name, and exits with 0', async () => {
    const { code, out } = await runProgram(['post', 'Hello', '--to', 'sandbox:@ada', ...now]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ caption: 'Hello', status: 'published' });
  });

  test('exits with 3 if every target failed, and names the reason', async () => {
    const args = ['post', outcome('rejected'), '--to', ada, '--yes', '--wait', '20s'];
    const { code, out } = await runProgram(args);
    expect(code).toBe(3);
    expect(out).toMatch(/failed[\s\S]*sandbox:@ada +failed +rejected: /);
  });

  test('exits with 2 if only some targets failed', async () => {
    await app.tenant.api.patch(`/v1/accounts/${ada}`, {
      defaults: { platform_options: { outcome: 'rejected' } },
    });
    const args = ['post', 'Partly', '--to', `${ada},bob.test`, ...now];
    const { code, out } = await runProgram(args);
    await app.tenant.api.patch(`/v1/accounts/${ada}`, { defaults: { platform_options: {} } });
    expect(JSON.parse(out)).toMatchObject({ status: 'partial' });
    expect(code).toBe(2);
  });

  test('exits with 4 if the post has not ended after the wait, or no answer arrived', async () => {
    const slow = ['post', outcome('hang'), '--to', ada, '--yes', '--wait', '1s', '--json'];
    const { code, out } = await runProgram(slow);
    expect([code, JSON.parse(out).status]).toEqual([4, 'pending']);
    await using proxy = await startFaultyProxy(app.url);
    proxy.plan(({ method, path }) => method === 'POST' && path === '/v1/posts', ['lose']);
    const client = new Fanfare({ url: proxy.url, apiKey: app.tenant.key, maxRetries: 0 });
    const notes: string[] = [];
    const terminal = terminalOf({ note: (line) => notes.push(line) });
    const lost = await post(client, 'Lost', { to: ada, yes: true }, terminal);
    expect(lost).toEqual({ exitCode: 4 });
    expect(notes).toEqual([expect.stringContaining('The post may have been accepted.')]);
  });

  test('refuses to publish without --yes where nobody can be asked', async () => {
    const { code, out, err } = await runProgram(['post', 'Unasked', '--to', ada]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('--yes');
    const { body } = await app.api.get('/v1/posts?q=Unasked');
    expect(body.data).toEqual([]);
  });

  test('refuses an option that only other commands have, and text from a pipe', async () => {
    const other = await runProgram(['post', 'Tested', '--to', ada, '--yes', '--test']);
    expect([other.code, other.err]).toEqual([1, '`post` takes no --test.\n']);
    const piped = await run(['post', '-', '--to', ada, '--yes']);
    expect([piped.code, piped.err]).toEqual([1, expect.stringContaining('standard input')]);
    const { body } = await app.api.get('/v1/posts?q=Tested');
    expect(body.data).toEqual([]);
  });

  test('exits with the outcome although nobody reads its answer', async () => {
    const args = ['post', 'Unread', '--to', ada, '--yes', '--wait', '20s'];
    const child = spawn(process.execPath, [program, ...args], { env: environment() });
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('shows names of a network without control characters', async () => {
    const account_name = 'e\u001b[2Jvil';
    const account = { id: 'sa_1', platform: 'sandbox', account_name, status: 'active' };
    const accounts = { list: () => Readable.from([account]) };
    const client = { accounts } as unknown as Fanfare;
    const finding = findAccounts(client, ['nobody'], { signal: new AbortController().signal });
    await expect(finding).rejects.toThrow('sandbox:@e [2Jvil  sa_1');
  });

  test('refuses a name of several accounts with the candidates, and an unknown one', async () => {
    const several = await run(['post', 'Hi', '--to', '@bob', '--yes']);
    expect(several.code).toBe(1);
    expect(several.err).toMatch(
      /@bob matches several accounts[\s\S]*bob\.example +sa_[\s\S]*bob\.test +sa_/,
    );
    expect(several.err).not.toContain('@ada');
    const none = await run(['post', 'Hi', '--to', 'bluesky:@ada', '--yes']);
    expect(none.code).toBe(1);
    expect(none.err).toContain('bluesky:@ada matches no account');
  });

  test('schedules at a local time without asking, and saves a draft', async () => {
    const at = ['--at', '2099-12-01 09:00', '--zone', 'Europe/Berlin'];
    const far = await run(['post', 'Later', '--to', ada, ...at, '--json']);
    expect(far.code).toBe(1);
    expect(JSON.parse(far.out).error).toMatchObject({ code: 'validation_error', status: 422 });
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const soon = ['--at', `${day} 09:00`, '--zone', 'Europe/Berlin', '--json'];
    const { code, out } = await run(['post', 'Later', '--to', ada, ...soon]);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { status: 'scheduled', schedule: { local: `${day}T09:00`, timezone: 'Europe/Berlin' } },
    ]);
    const draft = await run(['post', 'Some day', '--to', ada, '--draft', '--json']);
    expect([draft.code, JSON.parse(draft.out).status]).toEqual([0, 'draft']);
  });

  test('uploads media, and refuses a file that is not there', async () => {
    const picture = join(folder, 'a.png');
    await writeFile(picture, await noise(40, 40).png().toBuffer());
    const { code, out } = await run(['post', 'A picture', '--to', ada, '--media', picture, ...now]);
    expect(code).toBe(0);
    expect(JSON.parse(out).media).toHaveLength(1);
    const gone = await run(['post', 'No picture', '--to', ada, '--media', 'gone.png', ...now]);
    expect(gone.code).toBe(1);
    expect(gone.err).toContain("--media: gone.png can't be read");
  });

  test('warns of a repeat of the same content', async () => {
    for (const warned of [false, true]) {
      const { err } = await run(['post', 'Once more', '--to', ada, ...now]);
      expect(err.includes('repeated_content')).toBe(warned);
    }
  });

  test('exits with 1 for arguments that it does not have', async () => {
    expect((await run(['post', 'Hi', '--too', ada])).code).toBe(1);
    expect((await run(['--too', 'post', 'Hi'])).code).toBe(1);
    expect((await run(['post', 'Hi', '--to', ada, '--zone', 'Europe/Berlin'])).code).toBe(1);
    expect((await run(['post', '--to', ada, '--yes'])).code).toBe(1);
    const wait = await run(['post', 'Hi', '--to', ada, '--yes', '--wait', 'long', '--json']);
    expect([wait.code, JSON.parse(wait.out).error.code]).toEqual([1, 'invalid_argument']);
    const split = await run(['post', 'Hi', '--to', ada, '@bob.test', '--yes']);
    expect([split.code, split.out]).toEqual([1, '']);
    expect(split.err).toContain('got @bob.test too');
    expect((await run(['posts', 'post_1', 'post_2'])).code).toBe(2);
    expect((await runProgram(['posts', '--limit', '0'])).code).toBe(2);
    const unknown = await run(['accounts', '--too', '--json']);
    expect([unknown.code, JSON.parse(unknown.out).error.code]).toEqual([2, 'invalid_argument']);
  });
});

describe('lists', () => {
  test('posts lists posts, and shows one', async () => {
    const { id } = await app.tenant.createPost({ caption: 'Listed', status: 'draft' });
    const { out } = await run(['posts', '--status', 'draft', '--json']);
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ id, caption: 'Listed' }));
    expect((await run(['posts', '--limit', '2'])).out.trim().split('\n')).toHaveLength(3);
    expect((await run(['posts', id])).out).toBe(`${id}  draft\n`);
    const gone = await run(['posts', 'post_gone', '--json']);
    expect(gone.code).toBe(1);
    expect(gone.err).toMatch(/Request: req_/);
    expect(JSON.parse(gone.out)).toMatchObject({ error: { code: 'not_found', status: 404 } });
  });

  test('accounts and webhooks', async () => {
    expect((await runProgram(['accounts'])).out).toMatch(/^ACCOUNT +STATUS +ID\n/);
    expect(JSON.parse((await run(['accounts', '--json'])).out)).toHaveLength(3);
    expect((await run(['webhooks'])).out).toBe('No webhooks.\n');
    await app.tenant.createWebhook('https://example.com/hook');
    expect((await run(['webhooks'])).out).toContain('https://example.com/hook');
  });
});

describe('watch', () => {
  test('follows a post until it has ended, and exits with its outcome', async () => {
    const { id } = await app.tenant.createPost({
      caption: outcome('rejected'),
      account_ids: [ada],
    });
    const { code, out } = await runProgram(['watch', id, '--json']);
    expect(code).toBe(3);
    const last = JSON.parse(out.trim().split('\n').at(-1)!);
    expect(last).toMatchObject({ post_id: id, post: { status: 'failed' } });
  });

  test('redraws a table at a terminal', async () => {
    const { id } = await app.tenant.createPost({ caption: 'A table', account_ids: [ada] });
    const screens: string[] = [];
    const client = new Fanfare({ url: app.url, apiKey: app.tenant.key });
    const answer = await watch(
      client,
      id,
      {},
      terminalOf({ print: (text) => screens.push(text), isScreen: true }),
    );
    expect(answer).toEqual({ exitCode: 0 });
    const last = screens.at(-1)!;
    expect(last.startsWith('\u001B[2J\u001B[HPOST ')).toBe(true);
    expect(last).toMatch(/post_\w+ +published +A table\n +sandbox:@ada +published +http/);
  });

  test('prints a line for each change until it is interrupted', async () => {
    const child = spawn(process.execPath, [program, 'watch'], { env: environment() });
    let [out, err] = ['', ''];
    child.stdout.on('data', (bytes) => (out += String(bytes)));
    child.stderr.on('data', (bytes) => (err += String(bytes)));
    await expect.poll(() => err).toContain('Watching posts.');
    // The stream begins a moment after the note.
    await expect
      .poll(async () => {
        await app.tenant.createPost({ caption: 'Watched', account_ids: [ada] });
        return out;
      })
      .toMatch(/post_\w+ {2}result\.published {2}sandbox:@ada http/);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  });
});

describe('verify', () => {
  const secret = `whsec_${Buffer.from('a secret of the test').toString('base64')}`;
  const body = JSON.stringify({
    event: 'post.published',
    timestamp: '2026-01-01T00:00:00Z',
    data: {},
  });
  const request = (timestampSeconds: number) => {
    const headers = signWebhook({ secrets: [secret], body, webhookId: 'evt_1', timestampSeconds });
    return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  };

  test('checks a request from the standard input, or its body with headers', async () => {
    const lines = request(Date.now() / 1_000);
    const input = `${lines.join('\r\n')}\r\n\r\n${body}`;
    const whole = await runProgram(['verify', '--secret', secret], input);
    expect(whole).toMatchObject({ code: 0, out: 'Valid: post.published, 2026-01-01T00:00:00Z\n' });
    const file = join(folder, 'body.json');
    await writeFile(file, body);
    const headers = lines.flatMap((line) => ['--header', line]);
    const args = ['verify', file, '--secret', secret, ...headers, '--json'];
    expect(JSON.parse((await run(args)).out)).toMatchObject({ valid: true });
  });

  test('exits with 1 and the reason', async () => {
    const input = `${request(Date.now() / 1_000 - 3_600).join('\n')}\n\n${body}`;
    const unknown = await run(['verify', '-', '--tolerance', '7200']);
    expect([unknown.code, unknown.err]).toEqual([2, 'To check a message, give its --secret.\n']);
    const old = await runProgram(['verify', '-', '--secret', secret], input);
    expect(old).toMatchObject({ code: 1, out: '' });
    expect(old.err).toContain('message_too_old');
    const file = join(folder, 'request.txt');
    const patient = ['verify', file, '--secret', secret, '--tolerance', '7200'];
    await writeFile(file, input);
    expect((await run(patient)).code).toBe(0);
    await writeFile(file, input.replace('published', 'failed'));
    const forged = await run(patient);
    expect(forged.code).toBe(1);
    expect(forged.err).toContain('invalid_signature');
  });
});

test('the commands of docs/cli.md run as printed', async () => {
  const tenant = await app.createTenant('reader');
  for (const handle of ['ada', 'bob']) await tenant.connectSandbox(handle);
  const [publish, check] = readBlocks(readPage('docs/cli.md')).map(({ text }) => text);
  const shell = async (command: string, env: Record<string, string>) => {
    const options = { cwd: join(program, '../..'), env: { ...environment(), ...env } };
    return (await promisify(execFile)('sh', ['-c', command], options)).stdout;
  };
  expect(await shell(publish!, { FANFARE_API_KEY: tenant.key })).toMatch(
    /published\n[\s\S]*@ada[\s\S]*@bob/,
  );
  const secret = `whsec_${Buffer.from('a secret of the page').toString('base64')}`;
  const body = JSON.stringify({ event: 'post.failed', timestamp: '2026-01-01T00:00:00Z' });
  const file = join(folder, 'printed.json');
  await writeFile(file, body);
  const timestampSeconds = Math.floor(Date.now() / 1_000) - 3_600;
  const headers = signWebhook({ secrets: [secret], body, webhookId: 'evt_1', timestampSeconds });
  const printed = await shell(check!.replace('body.json', file), {
    WEBHOOK_SECRET: secret,
    ID: 'evt_1',
    TIMESTAMP: String(timestampSeconds),
    SIGNATURE: headers['webhook-signature'],
  });
  expect(printed).toBe('Valid: post.failed, 2026-01-01T00:00:00Z\n');
});
