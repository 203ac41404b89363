// A real S3 service on loopback: VersityGW, built from its Go module, with its objects in a folder of its own.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../api/server/ports.ts';
import { buildGoPrograms } from '../servers/go-programs.ts';

export interface VersityGateway {
  /** URL of an existing bucket, in the form of FANFARE_MEDIA_URL. */
  readonly storeUrl: string;
  stop(): Promise<void>;
}

const version = 'v1.0.14';
const module = `github.com/versity/versitygw/cmd/versitygw@${version}`;
/** Variables that the S3 client reads its credentials from. */
export const credentials = { AWS_ACCESS_KEY_ID: 'fanfare', AWS_SECRET_ACCESS_KEY: 'test-secret' };
const startTimeoutMs = 30_000;

/** `skipped` says why the service can't run on this machine. */
export async function startVersityGateway(): Promise<VersityGateway | { skipped: string }> {
  let executable: string;
  try {
    executable = join(await buildGoPrograms(`versitygw-${version}`, [module]), 'versitygw');
  } catch (error) {
    return { skipped: error instanceof Error ? error.message : String(error) };
  }
  const data = await mkdtemp(join(tmpdir(), 'fanfare-s3-'));
  await mkdir(join(data, 'objects', 'media'), { recursive: true });
  const port = await findFreePort('127.0.0.1');
  const child = spawn(
    executable,
    ['--port', `127.0.0.1:${port}`, 'posix', '--nometa', join(data, 'objects')],
    {
      env: {
        ROOT_ACCESS_KEY: credentials.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_KEY: credentials.AWS_SECRET_ACCESS_KEY,
      },
      stdio: 'ignore',
    },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  async function stop(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
    await rm(data, { recursive: true, force: true });
  }
  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const isUp = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (isUp) {
      const storeUrl = `s3://media/some/prefix?region=us-east-1&endpoint=${endpoint}&path_style=true`;
      return { storeUrl, stop };
    }
    await sleep(100);
  }
  await stop();
  throw new Error('VersityGW did not start.');
}
