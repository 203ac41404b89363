// Creating, listing and revoking the API keys of a project. No key gives what it lacks itself.
import type { ApiKey, ApiKeyWithSecret, CreateApiKey } from '../../schema/api-keys.ts';
import {
  findApiKey,
  listApiKeys as listRows,
  listApiKeysById,
  setApiKeyRevoked,
} from '../../schema/database/api-keys.ts';
import { AppError, notFound, validationError } from '../../schema/errors.ts';
import type { Page, Paging } from '../../schema/listing.ts';
import { forgetKeys, requireScope } from '../auth.ts';
import type { Caller, Context } from '../context.ts';
import { page } from '../listing.ts';
import { transact, type Answer } from '../transact.ts';
import { createKey } from './key.ts';
import { presentApiKey } from './presenter.ts';

export function createApiKey(
  context: Context,
  caller: Caller,
  input: CreateApiKey,
): Promise<Answer<ApiKeyWithSecret>> {
  for (const scope of input.scopes) requireScope(caller, scope);
  if (caller.environment === 'test' && input.environment !== 'test') {
    throw new AppError('insufficient_scope', 'A test key can make only test keys.');
  }
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    const message = 'must be in the future';
    throw validationError([{ path: 'expires_at', code: 'in_the_past', message }]);
  }
  const { keyExpiresAt } = caller;
  if (keyExpiresAt && (!expiresAt || expiresAt > keyExpiresAt)) {
    const limit = keyExpiresAt.toISOString();
    const message = `must not be later than the end of the key that makes it, ${limit}`;
    throw validationError([{ path: 'expires_at', code: 'outlives_its_maker', message, limit }]);
  }
  return transact(context, caller, async ({ trx }) => {
    const { row, key } = await createKey(trx, {
      projectId: caller.projectId,
      name: input.name,
      scopes: [...new Set(input.scopes)],
      environment: input.environment,
      expiresAt,
    });
    return { status: 201, data: { ...presentApiKey(row), key } };
  });
}

export function listApiKeys(
  { db }: Context,
  { projectId }: Caller,
  paging: Paging,
): Promise<Page<ApiKey>> {
  return page(
    'key',
    paging,
    (slice) => listRows(db, projectId, slice),
    (rows) => rows.map(presentApiKey),
  );
}

export async function getApiKey(
  { db }: Context,
  { projectId }: Caller,
  id: string,
): Promise<ApiKey> {
  const row = await findApiKey(db, projectId, id);
  if (!row) throw notFound('API key', id);
  return presentApiKey(row);
}

/** Of these those of the project. */
export async function findApiKeys(
  { db }: Context,
  { projectId }: Caller,
  ids: string[],
): Promise<ApiKey[]> {
  return (await listApiKeysById(db, projectId, ids)).map(presentApiKey);
}

/** Revokes. The row stays, so that what the key did can still be traced to it. */
export async function deleteApiKey(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<null>> {
  const answer = await transact(context, caller, async ({ trx }) => {
    const row = await setApiKeyRevoked(trx, caller.projectId, id);
    if (!row) throw notFound('API key', id);
    return { status: 204, data: null };
  });
  forgetKeys(context.db);
  return answer;
}
