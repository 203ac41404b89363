// Operations on API keys: create, list, revoke. No key can grant more than it has.
import {
  ApiKey,
  type ApiKeyWithSecret,
  type CreateApiKey,
  type CurrentApiKey,
} from '../../schema/api-keys.ts';
import {
  findApiKey,
  listApiKeys as listRows,
  listApiKeysById,
  setApiKeyRevoked,
} from '../../schema/database/api-keys.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { ApiKeyRow } from '../../schema/database/tables.ts';
import { AppError, notFound, validationError } from '../../schema/wire/errors.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import { present } from '../../schema/wire/present.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import { forgetKeys } from '../http/auth/known-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds, page } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';
import { createKey } from './key.ts';

const presentApiKey = (row: ApiKeyRow) => present(ApiKey, row);

export function createApiKey(
  context: Context,
  caller: Caller,
  input: CreateApiKey,
): Promise<Answer<ApiKeyWithSecret>> {
  for (const scope of input.scopes) requireScope(caller, scope);
  if (caller.environment === 'test' && input.environment !== 'test') {
    throw new AppError('insufficient_scope', 'A test key can create only test keys.');
  }
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    const message = 'must be in the future';
    throw validationError([{ path: ['expires_at'], code: 'in_the_past', message }]);
  }
  const { keyExpiresAt } = caller;
  if (keyExpiresAt && (!expiresAt || expiresAt > keyExpiresAt)) {
    const limit = keyExpiresAt.toISOString();
    const message = `must not be later than ${limit}, when the key of this request expires`;
    throw validationError([{ path: ['expires_at'], code: 'outlives_its_maker', message, limit }]);
  }
  return transact(context, caller, async ({ trx, audit }) => {
    const { row, key } = await createKey(trx, {
      projectId: caller.projectId,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      environment: input.environment,
      expiresAt,
    });
    audit({ subject: 'api_key', subject_id: row.id, kind: 'created' });
    return { status: 201, data: { ...presentApiKey(row), key }, isSecret: true };
  });
}

export function listApiKeys(
  { db }: Context,
  caller: Caller,
  paging: Paging,
): Promise<Page<ApiKey>> {
  return page(
    'key',
    paging,
    (slice) => listRows(db, caller, slice),
    (rows) => rows.map(presentApiKey),
  );
}

export async function getApiKey({ db }: Context, caller: Caller, id: string): Promise<ApiKey> {
  const row = await findApiKey(db, caller, id);
  if (!row) throw notFound('API key', id);
  return presentApiKey(row);
}

/** The key of the request, which every key may read. */
export async function getCurrentApiKey(context: Context, caller: Caller): Promise<CurrentApiKey> {
  const key = await getApiKey(context, caller, caller.keyId);
  const { id, name } = await getProjectRow(context.db, caller.projectId);
  return { ...key, project: { id, name } };
}

export const findApiKeys = byIds(listApiKeysById, presentApiKey);

/** Revokes the key. Its row stays, so that its requests can still be traced. */
export async function deleteApiKey(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<null>> {
  const answer = await transact(context, caller, async ({ trx, audit }) => {
    const row = await setApiKeyRevoked(trx, caller, id);
    if (!row) throw notFound('API key', id);
    audit({ subject: 'api_key', subject_id: id, kind: 'revoked' });
    return { status: 204, data: null };
  });
  forgetKeys(context.db);
  return answer;
}
