// The transaction of one operation, run once per Idempotency-Key.
import { sql } from 'kysely';
import { AppError } from '../schema/errors.ts';
import { fixedLimits } from '../schema/limits.ts';
import { insertChanges, type NewChange, type SubjectChange } from '../schema/database/changes.ts';
import type { Transaction } from '../schema/database/database.ts';
import type { Channel } from '../schema/database/doorbell.ts';
import type { Caller, Context } from './context.ts';

/** What an operation may ask for besides its writes; carried out with or after the commit. */
export interface Effects {
  readonly trx: Transaction;
  /** A change for the live feed. */
  readonly change: (change: SubjectChange) => void;
  /** Wakes the readers of a channel after the commit. */
  readonly ring: (channel: Channel) => void;
}

export interface Answer<T> {
  /** The HTTP status that a repeat of the request gets again. */
  status: number;
  data: T;
}

/** Thrown to unwind a request whose answer is known already; carries it. */
export class Replayed extends Error {
  override readonly name = 'Replayed';
  readonly answer: Answer<unknown>;

  constructor(answer: Answer<unknown>) {
    super('This request was answered before.');
    this.answer = answer;
  }
}

const maxTries = 3;

/**
 * Runs `work` in one transaction, and again where Postgres gave it up for another's sake. With an
 * Idempotency-Key the answer is stored in the same transaction, so that a repeat, even a simultaneous
 * one, gets it again and writes nothing.
 */
export async function transact<T>(
  context: Context,
  caller: Pick<Caller, 'projectId' | 'idempotency'>,
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

/** A deadlock, or a serialization failure: nothing was written. */
function hasLostRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(40P01|40001)$/.test(String(error.code));
}

async function transactOnce<T>(
  context: Context,
  caller: Pick<Caller, 'projectId' | 'idempotency'>,
  work: (effects: Effects) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const changes: NewChange[] = [];
  const rings = new Set<Channel>();
  const answer = await context.db.transaction().execute(async (trx) => {
    await refuseRepeat(trx, context, caller);
    const answer = await work({
      trx,
      change(change) {
        changes.push({ project_id: caller.projectId, ...change });
        rings.add('fanfare_changes');
      },
      ring: (channel) => rings.add(channel),
    });
    await insertChanges(trx, changes);
    if (caller.idempotency) {
      await storeAnswer(trx, context, caller.projectId, caller.idempotency, answer);
    }
    return answer;
  });
  rings.forEach((channel) => context.doorbell.ring(channel));
  return answer;
}

/** A key may be used again, for anything, when it is this old. */
const keptSince = sql<Date>`now() - ${fixedLimits.idempotencyHours} * interval '1 hour'`;

/** Serialises requests of one key: a simultaneous one waits for the first one's commit. */
async function refuseRepeat(
  trx: Transaction,
  { vault }: Context,
  { projectId, idempotency }: Pick<Caller, 'projectId' | 'idempotency'>,
): Promise<void> {
  if (!idempotency) return;
  const { key, fingerprint } = idempotency;
  const claimed = await trx
    .insertInto('idempotency_keys')
    .values({ project_id: projectId, key, fingerprint })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'key'])
        .doUpdateSet({ fingerprint, status: null, answer: null, created_at: sql<Date>`now()` })
        .where('idempotency_keys.created_at', '<=', keptSince),
    )
    .returning('key')
    .executeTakeFirst();
  if (!claimed) await refuseAnswered({ db: trx, vault }, { projectId, idempotency });
}

/**
 * Throws Replayed or a conflict when the request's key was used before. `transact` asks it by
 * itself; asked before an operation, the first answer outlives what the operation would check now.
 */
export async function refuseAnswered(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  { projectId, idempotency }: Pick<Caller, 'projectId' | 'idempotency'>,
): Promise<void> {
  if (!idempotency) return;
  const { key, fingerprint } = idempotency;
  const stored = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .where('created_at', '>', keptSince)
    .executeTakeFirst();
  if (!stored) return;
  if (!stored.fingerprint.equals(fingerprint)) {
    throw new AppError(
      'idempotency_conflict',
      'This Idempotency-Key was used before with another request.',
      { hint: 'Use a new key for a new request.' },
    );
  }
  const answer = vault.open(
    { ciphertext: stored.answer!, keyId: stored.answer_key_id! },
    sealContext(projectId, key),
  );
  throw new Replayed({ status: stored.status!, data: JSON.parse(answer) });
}

async function storeAnswer(
  trx: Transaction,
  { vault }: Context,
  projectId: string,
  { key }: NonNullable<Caller['idempotency']>,
  { status, data }: Answer<unknown>,
): Promise<void> {
  const sealed = vault.seal(JSON.stringify(data), sealContext(projectId, key));
  await trx
    .updateTable('idempotency_keys')
    .set({ status, answer: sealed.ciphertext, answer_key_id: sealed.keyId })
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .execute();
}

const sealContext = (projectId: string, key: string) => `idempotency_keys/${projectId}/${key}`;
