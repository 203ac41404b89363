// The transaction of one operation, run once per Idempotency-Key.
import type { Actor } from '../../schema/wire/actors.ts';
import { AppError } from '../../schema/wire/errors.ts';
import {
  findKey,
  insertKey,
  setAnswer,
  type NewKey,
} from '../../schema/database/idempotency-keys.ts';
import {
  insertChanges,
  type NewChange,
  type SubjectChange,
} from '../../schema/database/live/changes.ts';
import type { IdempotencyKeyRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { isInScope } from '../../schema/database/row-scope.ts';
import { findGrant } from '../../schema/scopes.ts';
import type { Caller, Context, Idempotency } from './context.ts';

/** Side effects of an operation, carried out with or after the commit. */
export interface Effects {
  readonly trx: Transaction;
  /** Who makes the request. Null: a network. */
  readonly actor: Actor | null;
  /** A change for the live feed. */
  readonly change: (change: SubjectChange) => void;
  /** A change that only the audit log shows. */
  readonly audit: (change: AuditedChange) => void;
}

/** A change for the audit log. */
interface AuditedChange {
  subject:
    | 'account_check'
    | 'api_key'
    | 'connect_session'
    | 'platform_app'
    | 'project'
    | 'queue'
    | 'review_link';
  subject_id: string;
  kind: 'created' | 'deleted' | 'revoked' | 'updated';
}

export interface Answer<T> {
  /** A repeat of the request gets the same HTTP status. */
  status: number;
  data: T;
  /** Only the API key that made the request gets the answer again. */
  isSecret?: boolean;
}

/** The user of a hosted page, or a network that speaks for a user. Neither has an API key. */
export interface PageUser {
  readonly projectId: string;
  /** Absent: a network, or a page that changes no post. */
  readonly actor?: Actor;
  readonly keyId?: undefined;
  readonly requestId?: undefined;
  readonly idempotency?: undefined;
}

/** Carries the stored answer of a repeated request. */
export class Replayed extends Error {
  override readonly name = 'Replayed';
  readonly answer: Answer<unknown>;

  constructor(answer: Answer<unknown>) {
    super('This request has a stored answer.');
    this.answer = answer;
  }
}

const maxTries = 3;

/**
 * Runs `work` in one transaction, and again after a deadlock or a serialization failure. With an
 * Idempotency-Key the same transaction stores the answer. A repeat, even a simultaneous one, gets
 * that answer and writes nothing.
 */
export async function transact<T>(
  context: Context,
  caller: Caller | PageUser,
  work: (effects: Effects) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  for (let tries = 1; ; tries++) {
    try {
      return await transactOnce(context, caller, work);
    } catch (error) {
      if (tries === maxTries || !hasLostRace(error)) throw error;
    }
  }
}

/** Whether the transaction failed with a deadlock or a serialization failure, so that nothing was written. */
export function hasLostRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(40P01|40001)$/.test(String(error.code));
}

async function transactOnce<T>(
  context: Context,
  caller: Caller | PageUser,
  work: (effects: Effects) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const changes: NewChange[] = [];
  const audited: AuditedChange[] = [];
  const actor = actorOf(caller);
  const answer = await inTransaction(context.db, context.notifier, async (trx) => {
    if (caller.idempotency) await claimKey(trx, context, caller, caller.idempotency);
    const answer = await work({
      trx,
      actor,
      change: (change) => changes.push({ project_id: caller.projectId, actor, ...change }),
      audit: (change) => audited.push(change),
    });
    await insertChanges(trx, changes);
    if (caller.idempotency) await setAnswer(trx, toAnsweredKey(context, caller, answer)!);
    return answer;
  });
  logChanges(context, caller, [...changes.filter(isAudited), ...audited]);
  return answer;
}

/** Has the current name of the key, so that a record keeps the name after the key is renamed or gone. */
export function actorOf(caller: Caller | PageUser): Actor | null {
  if (caller.keyId === undefined) return caller.actor ?? null;
  return { type: 'key', id: caller.keyId, name: caller.keyName };
}

async function claimKey(
  trx: Transaction,
  { vault }: Context,
  caller: Caller,
  { key, fingerprint, scopes }: Idempotency,
): Promise<void> {
  const { projectId, environment } = caller;
  const [claimed] = await insertKey(trx, {
    project_id: projectId,
    key,
    fingerprint,
    environment,
    scopes: [...scopes],
    status: null,
    answer: null,
    answer_key_id: null,
    only_for_key: null,
  });
  if (!claimed) await refuseAnswered({ db: trx, vault }, caller);
}

/**
 * Throws Replayed or a conflict if the request's key was used before. `transact` calls it too. A call before
 * the operation's checks, or after they fail, returns the stored answer even if the checks fail now.
 */
export async function refuseAnswered(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  caller: Caller,
): Promise<void> {
  const { projectId, idempotency } = caller;
  if (!idempotency) return;
  const { key, fingerprint } = idempotency;
  const [stored] = await findKey(db, { project_id: projectId, key });
  if (!stored) return;
  if (!stored.fingerprint.equals(fingerprint)) {
    throw new AppError(
      'idempotency_conflict',
      'This Idempotency-Key was used with another request.',
      { hint: 'Use a new key for a new request.' },
    );
  }
  if (!mayHave(caller, stored)) {
    throw new AppError(
      'idempotency_conflict',
      'This Idempotency-Key was used by an API key whose answer yours may not see.',
      { hint: 'Repeat the request with the same API key, or use a new Idempotency-Key.' },
    );
  }
  const answer = vault.open(
    { ciphertext: stored.answer!, keyId: stored.answer_key_id! },
    sealContext(projectId, key),
  );
  throw new Replayed({ status: stored.status!, data: JSON.parse(answer) });
}

/**
 * Whether the caller's API key has the scopes of the request. Only the API key that made the request gets a
 * secret again.
 */
function mayHave(caller: Caller, stored: IdempotencyKeyRow): boolean {
  return (
    isInScope(caller, stored) &&
    stored.scopes.every((scope) => findGrant(caller.scopes, scope) !== undefined) &&
    (stored.only_for_key === null || stored.only_for_key === caller.keyId)
  );
}

/** The row of the request's key, with the answer that repeats get. Undefined: the request has no key. */
export function toAnsweredKey(
  { vault }: Pick<Context, 'vault'>,
  caller: Caller,
  { status, data, isSecret = false }: Answer<unknown>,
): NewKey | undefined {
  const { projectId, keyId, environment, idempotency } = caller;
  if (!idempotency) return undefined;
  const { key, fingerprint, scopes } = idempotency;
  const sealed = vault.seal(JSON.stringify(data), sealContext(projectId, key));
  return {
    project_id: projectId,
    key,
    fingerprint,
    environment,
    scopes: [...scopes],
    status,
    answer: sealed.ciphertext,
    answer_key_id: sealed.keyId,
    only_for_key: isSecret ? keyId : null,
  };
}

const sealContext = (projectId: string, key: string) => `idempotency_keys/${projectId}/${key}`;

function isAudited({ subject }: NewChange): boolean {
  return subject === 'webhook' || subject === 'account';
}

/** The audit log. Both APIs and the hosted pages write the same line. */
function logChanges(
  { log }: Context,
  { projectId, keyId, requestId }: Caller | PageUser,
  changes: Pick<NewChange | AuditedChange, 'subject' | 'subject_id' | 'kind'>[],
): void {
  for (const { subject, subject_id, kind } of changes) {
    const who = { project_id: projectId, key_id: keyId, request_id: requestId };
    log.info({ component: 'audit', subject, subject_id, kind, ...who }, `${subject} ${kind}`);
  }
}
