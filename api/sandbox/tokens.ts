// The sandbox network's logins: tokens that name a grant and its generation, and stop when it moves on.
import { randomBytes } from 'node:crypto';
import type { Db, SandboxGrantRow } from '../../schema/database/database.ts';
import {
  findSandboxGrant,
  insertSandboxGrant,
  setSandboxGrantEnded,
  setSandboxGrantRefreshed,
  takeSandboxGrant,
} from '../../schema/database/sandbox.ts';
import { Refusal } from './refusal.ts';

const codeLivesMs = 10 * 60_000;
const tokenPattern = /^sbx_(at|rt)_([0-9a-f]{32})_(\d{1,9})$/;

export interface Tokens {
  handle: string;
  access_token: string;
  refresh_token: string;
}

export async function logIn(db: Db, handle: string): Promise<Tokens> {
  return toTokens(await insertSandboxGrant(db, { id: newGrantId(), handle, code: null }));
}

/** The consent page's yes. */
export async function grantCode(db: Db, handle: string): Promise<string> {
  const code = randomBytes(24).toString('base64url');
  await insertSandboxGrant(db, { id: newGrantId(), handle, code });
  return code;
}

export async function exchangeCode(db: Db, code: string): Promise<Tokens> {
  const grant = await takeSandboxGrant(db, code, codeLivesMs);
  if (!grant) throw new Refusal(400, 'invalid_code', 'The code is unknown, used or too old.');
  return toTokens(grant);
}

/** The refresh token changes with every use: the old one is dead from then on. */
export async function refresh(db: Db, refreshToken: string): Promise<Tokens> {
  const grant = await findGrant(db, refreshToken, 'rt');
  const fresh = await setSandboxGrantRefreshed(db, grant.id, grant.generation);
  if (!fresh) throw expired();
  return toTokens(fresh);
}

/** The login behind an access token. */
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
  return new Refusal(401, 'token_revoked', 'The account took its permission back.');
}

async function findGrant(db: Db, token: string, kind: 'at' | 'rt'): Promise<SandboxGrantRow> {
  const [, tokenKind, id, generation] = tokenPattern.exec(token) ?? [];
  const grant = tokenKind === kind ? await findSandboxGrant(db, id!) : undefined;
  if (!grant) throw new Refusal(401, 'token_invalid', 'The token is unknown.');
  if (grant.is_revoked) throw revoked();
  if (grant.generation !== Number(generation)) throw expired();
  return grant;
}

function newGrantId(): string {
  return randomBytes(16).toString('hex');
}

function toTokens({ id, handle, generation }: SandboxGrantRow): Tokens {
  return {
    handle,
    access_token: `sbx_at_${id}_${generation}`,
    refresh_token: `sbx_rt_${id}_${generation}`,
  };
}
