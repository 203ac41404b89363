// Queries on checks of accounts, and on what one step of a check leaves for the next.
import { sql, type Insertable } from 'kysely';
import { checksPerHour, type StoredStep } from '../../account-checks.ts';
import { notFound } from '../../wire/errors.ts';
import { checkAccountWorkflow, checkAccountWorkflowId } from '../../workflows.ts';
import { ago, msUntil } from '../database-clock.ts';
import type { Notifier } from '../notifier.ts';
import { insertOutbox, listOverdueWork, restartWork } from '../outbox.ts';
import { isUnderPause } from '../pauses.ts';
import { selectInScope, type RowScope } from '../row-scope.ts';
import type { AccountCheckRow, Database, Db, SocialAccountRow, Transaction } from '../tables.ts';
import type { Vault } from '../vault.ts';

type NewCheck = Omit<Insertable<Database['account_checks']>, 'workflow_id'>;

export interface InsertedCheck extends AccountCheckRow {
  /**
   * How long the account must wait for this check. Null: the account has had fewer checks than the limit
   * allows.
   */
  wait_ms: number | null;
}

/**
 * Inserts the check and the outbox row of its workflow. Undefined: another check of the account is running,
 * so the caller must roll back. The caller must also roll back if the account must wait.
 */
export async function insertCheck(
  trx: Transaction,
  check: NewCheck,
): Promise<InsertedCheck | undefined> {
  const workflow_id = await insertCheckWorkflow(trx, check.project_id, check.id);
  return trx
    .insertInto('account_checks')
    .values({ ...check, workflow_id })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(waitMs(trx, check).as('wait_ms'))
    .executeTakeFirst();
}

const hourMs = 3_600_000;

/** SQL: how long the account must wait because of its earlier checks. */
function waitMs(trx: Transaction, { social_account_id: accountId, publishes }: NewCheck) {
  const newest = (count: number) =>
    trx
      .selectFrom('account_checks as earlier')
      .select('earlier.created_at')
      .where('earlier.social_account_id', '=', accountId)
      .where('earlier.created_at', '>', ago(hourMs))
      .orderBy('earlier.created_at', 'desc')
      .offset(count - 1)
      .limit(1);
  const any = newest(checksPerHour.any);
  const publishing = newest(checksPerHour.publishing).where('earlier.publishes', '=', true);
  const last = publishes ? sql`greatest(${any}, ${publishing})` : sql`${any}`;
  return msUntil(sql`${last} + ${hourMs} * interval '1 ms'`);
}

/** Requests a run of `checkAccount`, and returns its workflow's id. */
function insertCheckWorkflow(trx: Transaction, projectId: string, checkId: string) {
  return insertOutbox(trx, {
    projectId,
    workflow: checkAccountWorkflow,
    workflowId: (outboxId) => checkAccountWorkflowId(checkId, outboxId),
    input: { checkId },
  });
}

/** A check of any of the project's accounts, or only of this one. */
export function getCheckRow(
  db: Db,
  scope: RowScope,
  id: string,
  accountId?: string,
): Promise<AccountCheckRow> {
  return selectInScope(db, scope, 'account_checks')
    .where('id', '=', id)
    .$if(accountId !== undefined, (query) => query.where('social_account_id', '=', accountId!))
    .executeTakeFirstOrThrow(() => notFound('check', id));
}

export function listChecksById(db: Db, scope: RowScope, ids: string[]): Promise<AccountCheckRow[]> {
  return selectInScope(db, scope, 'account_checks').where('id', 'in', ids).execute();
}

/** A check as its activity needs it. */
export interface RunningCheck extends AccountCheckRow {
  /** What the network granted to the account. */
  scope: SocialAccountRow['scope'];
  /** Default options of the account. */
  default_options: SocialAccountRow['default_options'];
  /** The operator paused the network or the project. */
  is_paused: boolean;
  /** The database was restored after the check began, so its post may be public. */
  was_restored: boolean;
}

const wasRestored = sql<boolean>`exists (
  select from restores where restored_at > account_checks.created_at)`.as('was_restored');

/** Undefined: the check has ended, or its account was erased. */
export function findRunningCheck(db: Db, id: string): Promise<RunningCheck | undefined> {
  return db
    .selectFrom('account_checks')
    .innerJoin('social_accounts as account', 'account.id', 'social_account_id')
    .selectAll('account_checks')
    .select([
      'account.scope',
      'account.default_options',
      isUnderPause('account').as('is_paused'),
      wasRestored,
    ])
    .where('account_checks.id', '=', id)
    .where('account_checks.status', '=', 'running')
    .executeTakeFirst();
}

/** ID of the running check. Undefined: none is running. */
export async function findCheckOfAccount(db: Db, accountId: string): Promise<string | undefined> {
  const check = await db
    .selectFrom('account_checks')
    .select('id')
    .where('social_account_id', '=', accountId)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return check?.id;
}

export async function isCheckRunning(db: Db, projectId: string, id: string): Promise<boolean> {
  const check = await db
    .selectFrom('account_checks')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .executeTakeFirst();
  return check !== undefined;
}

export interface CheckChange {
  steps: readonly StoredStep[];
  /** Default: none. */
  progress?: SealedProgress;
  /** Present: the check has ended. */
  status?: 'passed' | 'failed';
  /** Null: the post of the check no longer counts. */
  usage_month?: null;
}

/** False: another execution has changed the check, or it has ended. */
export async function setCheck(
  db: Db,
  { id, version }: Pick<AccountCheckRow, 'id' | 'version'>,
  { steps, progress = noProgress, status, ...columns }: CheckChange,
): Promise<boolean> {
  const written = await db
    .updateTable('account_checks')
    .set({
      ...columns,
      ...progress,
      ...(status && { status, ended_at: sql<Date>`now()` }),
      steps: JSON.stringify(steps),
      version: version + 1,
      progressed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('status', '=', 'running')
    .returning('id')
    .executeTakeFirst();
  return written !== undefined;
}

export type SealedProgress = Pick<AccountCheckRow, 'progress' | 'progress_key_id'>;

const noProgress: SealedProgress = { progress: null, progress_key_id: null };

export function sealProgress(vault: Vault, checkId: string, progress: object): SealedProgress {
  const { ciphertext, keyId } = vault.seal(JSON.stringify(progress), sealContext(checkId));
  return { progress: ciphertext, progress_key_id: keyId };
}

/** Null: there is no progress. Throws if the vault can't open it. */
export function openProgress(
  vault: Vault,
  { id, progress: ciphertext, progress_key_id: keyId }: SealedProgress & { id: string },
): unknown {
  if (ciphertext === null || keyId === null) return null;
  return JSON.parse(vault.open({ ciphertext, keyId }, sealContext(id)));
}

const sealContext = (checkId: string) => `account_checks/${checkId}`;

const openChecks = { table: 'account_checks', status: 'running' } as const;

/** Running checks without progress. */
export const listOverdueChecks = (db: Db, overdueMs: number) =>
  listOverdueWork(db, openChecks, overdueMs);

/** False: the check has ended, or has another workflow. */
export const restartCheck = (db: Db, notifier: Notifier, id: string, workflowId: string) =>
  restartWork(db, notifier, openChecks, { id, workflowId }, insertCheckWorkflow);
