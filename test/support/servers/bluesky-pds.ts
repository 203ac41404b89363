// A real Bluesky server on loopback for tests, with accounts made on demand.
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPds, pdsServerPath } from './pds-installation.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

export interface PdsAccount {
  did: string;
  handle: string;
  appPassword: string;
}

export interface BlueskyPds {
  readonly url: string;
  /** The directory that knows the server's accounts. */
  readonly plcUrl: string;
  /** Settings of an installation that publishes to the server. */
  readonly env: { FANFARE_BLUESKY_API_URL: string; FANFARE_BLUESKY_PLC_URL: string };
  /** `handle` ends in `.test`. */
  createAccount(handle: string, password: string): Promise<PdsAccount>;
  /** Revokes the app password that `createAccount` returned. */
  revokeAppPassword(handle: string, password: string): Promise<void>;
  /** Returns the access token as the server would have signed it if it had expired an hour ago. */
  expireToken(accessJwt: string): string;
  stop(): Promise<void>;
}

const appPasswordName = 'fanfare';
const startTimeoutMs = 60_000;

/** `skipped` says why the server can't run on this machine. */
export async function startBlueskyPds(): Promise<BlueskyPds | { skipped: string }> {
  let installation: string;
  try {
    installation = await installPds();
  } catch (error) {
    return { skipped: error instanceof Error ? error.message : String(error) };
  }
  const data = await mkdtemp(join(tmpdir(), 'fanfare-pds-'));
  const jwtSecret = randomBytes(16).toString('hex');
  let server: ServerProcess | undefined;
  async function stop(): Promise<void> {
    await server?.stop();
    await rm(data, { recursive: true, force: true });
  }
  try {
    server = await startServerProcess({
      title: 'The Bluesky server',
      executable: join(installation, 'node_modules', '.bin', 'node'),
      parameters: [pdsServerPath, installation, data, jwtSecret],
      env: { PATH: process.env['PATH'], LOG_ENABLED: 'false' },
      startTimeoutMs,
    });
    const { url, plcUrl } = server.line as { url: string; plcUrl: string };
    return {
      url,
      plcUrl,
      env: { FANFARE_BLUESKY_API_URL: url, FANFARE_BLUESKY_PLC_URL: plcUrl },
      createAccount: (handle, password) => createAccount(url, handle, password),
      revokeAppPassword: (handle, password) => revokeAppPassword(url, handle, password),
      expireToken: (accessJwt) => expireToken(accessJwt, jwtSecret),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function call(url: string, method: string, body: unknown, token?: string): Promise<unknown> {
  const response = await fetch(`${url}/xrpc/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

async function createAccount(url: string, handle: string, password: string): Promise<PdsAccount> {
  const email = `${handle}@example.com`;
  const account = (await call(url, 'com.atproto.server.createAccount', {
    handle,
    password,
    email,
  })) as { did: string; handle: string; accessJwt: string };
  const { password: appPassword } = (await call(
    url,
    'com.atproto.server.createAppPassword',
    { name: appPasswordName },
    account.accessJwt,
  )) as { password: string };
  return { did: account.did, handle: account.handle, appPassword };
}

async function revokeAppPassword(url: string, handle: string, password: string): Promise<void> {
  const login = { identifier: handle, password };
  const session = (await call(url, 'com.atproto.server.createSession', login)) as {
    accessJwt: string;
  };
  const method = 'com.atproto.server.revokeAppPassword';
  await call(url, method, { name: appPasswordName }, session.accessJwt);
}

function expireToken(accessJwt: string, secret: string): string {
  const [header = '', payload = ''] = accessJwt.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
  const past = Math.floor(Date.now() / 1000) - 3_600;
  const expired = Buffer.from(JSON.stringify({ ...claims, iat: past - 7_200, exp: past }));
  const signed = `${header}.${expired.toString('base64url')}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
