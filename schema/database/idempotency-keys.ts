// Idempotency keys, with the answers that repeats of their requests get.
import { sql, type RawBuilder } from 'kysely';
import { fixedLimits } from '../wire/limits.ts';
import { allOf, prepare, wholeTables } from './prepared.ts';
import type { IdempotencyKeyRow } from './tables.ts';

export type NewKey = Omit<IdempotencyKeyRow, 'created_at'>;

/** An idempotency key that is older can be used for another request. */
const keptSince = sql<Date>`now() - ${sql.lit(fixedLimits.idempotencyHours)} * interval '1 hour'`;

/**
 * SQL that inserts a key and returns a row, unless the key is kept already. Serializes requests with the same
 * key: a simultaneous request waits for the commit of the first request.
 */
export function insertionOfKey(given: NewKey): RawBuilder<{ key: string }> {
  return sql`
    insert into idempotency_keys as kept (project_id, key, fingerprint, environment, scopes, status,
      answer, answer_key_id, only_for_key)
    values (${given.project_id}, ${given.key}, ${given.fingerprint}, ${given.environment},
      ${given.scopes}, ${given.status}, ${given.answer}, ${given.answer_key_id},
      ${given.only_for_key})
    on conflict (project_id, key) do update set fingerprint = excluded.fingerprint,
      environment = excluded.environment, scopes = excluded.scopes, status = excluded.status,
      answer = excluded.answer, answer_key_id = excluded.answer_key_id,
      only_for_key = excluded.only_for_key, created_at = excluded.created_at
    where kept.created_at <= ${keptSince}
    returning key`;
}

export const insertKey = prepare('insert_key', insertionOfKey);

type KeyAnswer = Pick<
  NewKey,
  'project_id' | 'key' | 'status' | 'answer' | 'answer_key_id' | 'only_for_key'
>;

/** Stores the answer of a request whose key the transaction has inserted. */
export const setAnswer = prepare<KeyAnswer, never>(
  'set_answer',
  (given) => sql`
    update idempotency_keys set status = ${given.status}, answer = ${given.answer},
      answer_key_id = ${given.answer_key_id}, only_for_key = ${given.only_for_key}
    where project_id = ${given.project_id} and key = ${given.key}`,
);

export const findKey = prepare<Pick<NewKey, 'project_id' | 'key'>, IdempotencyKeyRow>(
  'find_key',
  (given) => sql`
    select ${allOf(wholeTables.idempotency_keys, 'idempotency_keys')} from idempotency_keys
    where project_id = ${given.project_id} and key = ${given.key} and created_at > ${keptSince}`,
);
