// How `listen` ends: by a signal, a refusal or an invalid argument, each with its message.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import {
  listenHere,
  runListen,
  startListen,
  startListening,
  type Listener,
  type ListenTarget,
} from '../../support/receivers/listener.ts';
import type { Program } from '../../support/app/program.ts';

let app: TestApp;
let target: ListenTarget;
const directory = mkdtempSync(join(tmpdir(), 'fanfare-listen-'));

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
  target = { url: app.url, key: app.tenant.key };
});
afterAll(async () => {
  await app.stop();
  rmSync(directory, { recursive: true });
});

async function endOf(program: Program): Promise<{ code: number | null; output: string }> {
  const { code } = await program.exit;
  await program.stop();
  return { code, output: program.output() };
}

/** What ends it, before or after it listens. */
async function reasonOf(listening: Promise<Listener>): Promise<string> {
  try {
    await (
      await listening
    ).ended;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It ended without a reason.');
}

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends listen with exit code 0', async (signal) => {
    await using listener = await startListening(target, '--no-forward');
    process.kill(listener.pid, signal);
    expect(await listener.exit).toEqual({ code: 0, signal: null });
  });
});

describe('a key', () => {
  test('is refused if it is wrong', async () => {
    const wrong = { ...target, key: 'ff_live_0123456789abcdef0123456789' };
    const { code, output } = await endOf(startListen(wrong, '--no-forward'));
    expect({ code, output }).toEqual({
      code: 1,
      output: 'The API key is invalid, revoked or expired.\n',
    });
  });

  test('ends the command when it is revoked', async () => {
    const made = await app.api.post('/v1/api-keys', { name: 'short' });
    const { id, key } = made.body.data;
    const listener = await listenHere({ ...target, key }, '--no-forward');
    await app.api.delete(`/v1/api-keys/${id}`);
    expect(await reasonOf(Promise.resolve(listener))).toMatch(
      /^The API key .*revoked or expired[.]$/,
    );
  });

  test('is refused with the name of the scope that it lacks', async () => {
    const made = await app.api.post('/v1/api-keys', { name: 'posts', scopes: ['posts:read'] });
    const narrow = { ...target, key: made.body.data.key };
    expect(await reasonOf(listenHere(narrow, '--no-forward'))).toContain('webhooks:read');
  });

  test('is found in the data directory', async () => {
    writeFileSync(join(directory, 'api-key'), `${target.key}\n`);
    const env = { FANFARE_PORT: new URL(target.url).port };
    const words = ['--url', target.url, '--no-forward'];
    await using listener = runListen({ dataDirectory: directory, env }, ...words);
    await listener.waitForOutput(/^Listening to /m);
  });
});

describe('a server', () => {
  test('is reported with its URL if it is unreachable', async () => {
    const [port] = await findFreePorts([0]);
    const url = `http://127.0.0.1:${port}`;
    expect(await reasonOf(listenHere({ ...target, url }, '--no-forward'))).toBe(
      `Fanfare can't be reached at ${url}: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
  });

  test('is reported with its URL if it has no API', async () => {
    const url = `${app.url}/elsewhere`;
    expect(await reasonOf(listenHere({ ...target, url }, '--no-forward'))).toContain(
      `Fanfare can't be reached at ${url}: `,
    );
  });
});

describe('a cursor', () => {
  test('is reported with the oldest cursor if it has expired', async () => {
    const after = Buffer.from('deadbeef.7.1').toString('base64url');
    const expired = await reasonOf(listenHere(target, '--no-forward', '--after', after));
    const [, oldest] = /are no longer stored[.] .* --after (\S+)$/m.exec(expired)!;
    await using _resumed = await listenHere(target, '--no-forward', '--after', oldest!);
  });

  test('is refused if it is malformed', async () => {
    const reason = await reasonOf(listenHere(target, '--no-forward', '--after', 'nonsense'));
    expect(reason).toContain('The cursor is not from this Fanfare. Start again');
  });
});

describe('an argument', () => {
  const forward = ['--forward-to', 'http://localhost:3000/hook'];
  test.each([
    [['--every', ...forward], "Unknown option '--every'"],
    [['now', ...forward], 'There is no command `listen now`.'],
  ])('%j ends listen with exit code 2', async (given, message) => {
    const { code, output } = await endOf(runListen({}, '--key', target.key, ...given));
    expect(code).toBe(2);
    expect(output.split('\n')[0]).toContain(message);
  });
});
