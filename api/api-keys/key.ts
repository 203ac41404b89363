// Makes API keys: 256 random bits. The database keeps only the hash.
import { randomBytes } from 'node:crypto';
import type { KeyEnvironment } from '../../schema/api-keys.ts';
import { insertApiKey } from '../../schema/database/api-keys.ts';
import type { ApiKeyRow, Db } from '../../schema/database/tables.ts';
import { newId } from '../../schema/wire/ids.ts';
import { scopes, type Scope } from '../../schema/scopes.ts';
import { hashKey } from '../http/auth/api-keys.ts';

export interface NewKey {
  projectId: string;
  name: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  environment?: KeyEnvironment;
  expiresAt?: Date | null;
  /** A key that the operator chose. Default: a random one. */
  key?: string;
}

const prefixLength = 13;

export async function createKey(db: Db, wanted: NewKey): Promise<{ row: ApiKeyRow; key: string }> {
  const environment = wanted.environment ?? 'production';
  const key = wanted.key ?? generateKey(environment);
  const row = await insertApiKey(db, {
    id: newId('key'),
    project_id: wanted.projectId,
    name: wanted.name,
    hash: hashKey(key),
    prefix: key.slice(0, prefixLength),
    scopes: [...(wanted.scopes ?? scopes)],
    environment,
    expires_at: wanted.expiresAt ?? null,
  });
  return { row, key };
}

export function generateKey(environment: KeyEnvironment): string {
  const kind = environment === 'test' ? 'test' : 'live';
  return `fan_${kind}_${randomBytes(32).toString('base64url')}`;
}
