// A real Nostr relay on loopback: the Python package nostr-relay, with its database in a folder of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../../api/server/ports.ts';
import { keepOutput } from '../../servers/cache.ts';
import { installPythonPackages, python } from '../../servers/python-packages.ts';

export interface RealRelay {
  /** URL of the relay's WebSockets. */
  readonly url: string;
  stop(): Promise<void>;
}

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
const startTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;

/** The longest text that the relay takes, in code points. */
export const realRelayMaxText = 32_000;

/** `skipped` says why the relay can't run on this machine. */
export async function startRealRelay(): Promise<RealRelay | { skipped: string }> {
  let packages: string;
  try {
    packages = await installPythonPackages('nostr-relay', requirements);
  } catch (error) {
    return { skipped: error instanceof Error ? error.message : String(error) };
  }
  const data = await mkdtemp(join(tmpdir(), 'fanfare-nostr-'));
  const port = await findFreePort('127.0.0.1');
  const config = join(data, 'config.yaml');
  // The file is written as JSON, because every JSON text is valid YAML.
  await writeFile(config, JSON.stringify(configure(data, port)));
  const program = 'from nostr_relay.cli import main; main()';
  const child = spawn(python, ['-c', program, '-c', config, 'serve', '--use-uvicorn'], {
    cwd: data,
    env: { PATH: process.env['PATH'], PYTHONPATH: packages, PYTHONWARNINGS: 'ignore' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = keepOutput(child);
  async function stop(): Promise<void> {
    await end(child);
    await rm(data, { recursive: true, force: true });
  }
  const isUp = await waitUntilUp(child, port);
  if (isUp) return { url: `ws://127.0.0.1:${port}`, stop };
  await stop();
  throw new Error(`The Nostr relay did not start:\n${output()}`);
}

/** The relay's own config.yaml, with a limit for the length of texts. The original file has no such limit. */
function configure(data: string, port: number) {
  return {
    relay_name: 'test',
    relay_description: 'A relay of tests.',
    storage: {
      'sqlalchemy.url': `sqlite+aiosqlite:///${join(data, 'relay.sqlite3')}`,
      validators: ['is_not_too_large', 'is_signed', 'is_recent', 'is_not_hellthread'].map(
        (name) => `nostr_relay.validators.${name}`,
      ),
    },
    gunicorn: { bind: `127.0.0.1:${port}` },
    hellthread_limit: 100,
    max_event_size: realRelayMaxText,
  };
}

async function waitUntilUp(child: ChildProcess, port: number): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const isUp = await fetch(`http://127.0.0.1:${port}`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return true;
    await sleep(100);
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}
