// The sandbox network's logins: a token names its grant, the grant's generation and the handle.
import { randomBytes } from 'node:crypto';
import type { Db, SandboxGrantRow } from '../../schema/database/tables.ts';
import {
  findSandboxGrant,
  insertSandboxGrant,
  openSandboxGrant,
  setSandboxGrantEnded,
  setSandboxGrantRefreshed,
  claimSandboxGrant,
} from '../../schema/database/sandbox.ts';
import { SandboxHandle } from '../../schema/platforms/sandbox.ts';
import { Refusal } from './refusal.ts';

const codeLivesMs = 10 * 60_000;
const tokenPattern = /^sbx_(at|rt)_([0-9a-f]{32})_(\d{1,9})_(.{1,30})$/;

export interface Tokens {
  handle: string;
  access_token: string;
  refresh_token: string;
}

export async function logIn(db: Db, handle: string): Promise<Tokens> {
  return toTokens(await insertSandboxGrant(db, { id: newGrantId(), handle, code: null }));
}

/** Makes the code for a user who allowed access on the consent page. */
export async function grantCode(db: Db, handle: string): Promise<string> {
  const code = randomBytes(24).toString('base64url');
  await insertSandboxGrant(db, { id: newGrantId(), handle, code });
  return code;
}

export async function exchangeCode(db: Db, code: string): Promise<Tokens> {
  const grant = await claimSandboxGrant(db, code, codeLivesMs);
  if (!grant) throw new Refusal(400, 'invalid_code', 'The code is unknown, used or expired.');
  return toTokens(grant);
}

/** A refresh token works once. */
export async function refresh(db: Db, refreshToken: string): Promise<Tokens> {
  const grant = await findGrant(db, refreshToken, 'rt');
  const fresh = await setSandboxGrantRefreshed(db, grant.id, grant.generation);
  if (!fresh) throw expired();
  return toTokens(fresh);
}

/** Returns the grant of an access token. */
export async function authenticate(
  db: Db,
  authorization: string | undefined,
): Promise<SandboxGrantRow> {
  const grant = await findGrant(db, /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '', 'at');
  if (grant.is_expired) throw expired();
  return grant;
}

export async function revoke(db: Db, token: string): Promise<void> {
  const id = tokenPattern.exec(token)?.[2];
  const grant = id === undefined ? undefined : await findSandboxGrant(db, id);
  if (grant) await setSandboxGrantEnded(db, grant, { is_revoked: true });
}

export function expired(): Refusal {
  return new Refusal(401, 'token_expired', 'The token has expired.');
}

export function revoked(): Refusal {
  return new Refusal(401, 'token_revoked', 'The user revoked the permission.');
}

/** Pruning deletes old grants. A token without its grant creates the grant again. */
async function findGrant(db: Db, token: string, kind: 'at' | 'rt'): Promise<SandboxGrantRow> {
  const [, tokenKind, id = '', digits, handle] = tokenPattern.exec(token) ?? [];
  const isHandle = SandboxHandle.safeParse(handle).data === handle;
  if (tokenKind !== kind || handle === undefined || !isHandle) throw unknown();
  const generation = Number(digits);
  const grant = await openSandboxGrant(db, { id, handle, generation });
  if (grant.handle !== handle) throw unknown();
  if (grant.is_revoked) throw revoked();
  if (grant.generation !== generation) throw expired();
  return grant;
}

function unknown(): Refusal {
  return new Refusal(401, 'token_invalid', 'The token is unknown.');
}

function newGrantId(): string {
  return randomBytes(16).toString('hex');
}

function toTokens({ id, handle, generation }: SandboxGrantRow): Tokens {
  return {
    handle,
    access_token: `sbx_at_${id}_${generation}_${handle}`,
    refresh_token: `sbx_rt_${id}_${generation}_${handle}`,
  };
}
