// The feed behind live subscriptions: one row for each change that clients may watch.
import { sql, type RawBuilder } from 'kysely';
import type { Actor } from '../../wire/actors.ts';
import type { KeyEnvironment } from '../../api-keys.ts';
import type { ChangeKind, ChangeSubject } from '../../change-kinds.ts';
import type { ChangeRow, Db, SocialAccountRow, Transaction, Writer } from '../tables.ts';
import type { RowScope } from '../row-scope.ts';

/** A change with a kind that its subject has. */
export type SubjectChange = {
  [Subject in ChangeSubject]: {
    subject: Subject;
    subject_id: string;
    kind: ChangeKind<Subject>;
    /** Set for a change of a result of the post. A first comment is a result of its own. */
    result_id?: string;
    /** Set for deletions, because the subject's own row is gone. */
    environment?: KeyEnvironment;
  };
}[ChangeSubject];

/** `actor`: absent if Fanfare itself makes the change. */
export type NewChange = SubjectChange & { project_id: string; actor?: Actor | null };

/** A place in the feed: between the change with these numbers and the next one. */
export interface FeedPosition {
  xid: bigint;
  id: bigint;
}

export interface FeedHead {
  /** Changes when the database starts to count transaction ids anew, as after a restore. */
  epoch: string;
  /** Every transaction with a lower ID has ended, so no more changes with lower IDs can appear. */
  horizon: bigint;
  /** The id that the next transaction gets. */
  next: bigint;
  /** Just after the last change below the horizon. Unlike the horizon, it stays valid after a crash. */
  last: FeedPosition;
  /** Changes up to this transaction have been deleted. */
  prunedXid: bigint;
}

export interface ChangePage extends FeedHead {
  changes: ChangeRow[];
  /** Where the next page starts; the horizon if this page is the last. */
  position: FeedPosition;
  isLast: boolean;
  /** An older transaction, still running, holds back changes that are already committed. */
  isHeldBack: boolean;
}

export interface ChangeFilter {
  projectId: string;
  subject: ChangeSubject;
  subjectId?: string | undefined;
}

/** Call it in the transaction that makes the change. */
export async function insertChanges(trx: Transaction, changes: NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ actor, ...change }) => {
    return { ...change, actor: actor ? JSON.stringify(actor) : null };
  });
  await trx.insertInto('changes').values(rows).execute();
  trx.notifyAfterCommit('fanfare_changes');
}

/** One change for each row of `from`. Without `from`, a single change. */
type SelectedChange = {
  [Subject in ChangeSubject]: {
    subject: Subject;
    kind: ChangeKind<Subject> | RawBuilder<ChangeKind<Subject>>;
    /** Default: the columns `project_id` and `id` of `from`. */
    project_id?: string;
    subject_id?: string;
    result_id?: RawBuilder<string>;
    /** SQL of a jsonb. Default: Fanfare itself makes the change. */
    actor?: RawBuilder<Actor | null>;
    from?: RawBuilder<unknown>;
    /** False: inserts nothing, and sends no notification. */
    when?: boolean;
  };
}[ChangeSubject];

/** SQL that inserts changes, for a statement that `writer` runs: rows and changes take one round trip. */
export function insertionOf(
  writer: Pick<Writer, 'notifyAfterCommit'>,
  ...changes: SelectedChange[]
): RawBuilder<unknown> {
  const selects = changes.map(
    ({ subject, kind, project_id, subject_id, result_id, actor, from, when }) => sql`
      select ${project_id ?? sql.ref('project_id')}, ${subject}, ${subject_id ?? sql.ref('id')},
        ${result_id ?? sql.lit(null)}, ${kind}, ${actor ?? sql`null::jsonb`}
      ${from ? sql`from ${from}` : sql``} ${when === undefined ? sql`` : sql`where ${when}`}`,
  );
  if (changes.some(({ when }) => when !== false)) writer.notifyAfterCommit('fanfare_changes');
  return sql`insert into changes (project_id, subject, subject_id, result_id, kind, actor)
    ${sql.join(selects, sql` union all`)}`;
}

export function insertAccountChanges(
  trx: Transaction,
  accounts: readonly Pick<SocialAccountRow, 'id' | 'project_id'>[],
  kind: ChangeKind<'account'>,
): Promise<void> {
  return insertChanges(
    trx,
    accounts.map(({ id, project_id }) => {
      return { project_id, subject: 'account', subject_id: id, kind };
    }),
  );
}

// A restored dump has the epoch of the original database, so the system identifier distinguishes the two. A
// recovered server may assign transaction ids again, but on another timeline.
const epoch = sql`
  (select epoch from feed_epoch) || to_hex((pg_control_system()).system_identifier)
    || 'l' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;

const headColumns = sql`
  ${epoch} as epoch,
  pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
  pg_snapshot_xmax(pg_current_snapshot())::text as next,
  (
    select xid::text from changes where xid < pg_snapshot_xmin(pg_current_snapshot())
    order by changes.xid desc, changes.id desc limit 1
  ) as last_xid,
  (select pruned_xid from feed_epoch)::text as pruned_xid`;

interface HeadRow {
  epoch: string;
  horizon: string;
  next: string;
  last_xid: string | null;
  pruned_xid: string;
}

export async function readFeedHead(db: Db): Promise<FeedHead> {
  const { rows } = await sql<HeadRow>`select ${headColumns}`.execute(db);
  return toHead(rows[0]!);
}

export interface Present<T> {
  epoch: string;
  /** Transactions that the state includes, in Postgres' format `xmin:xmax:running`. */
  snapshot: string;
  state: T;
}

/** Runs `read` in one snapshot, and returns the snapshot too, so that changes in it can be skipped later. */
export async function readPresent<T>(db: Db, read: (db: Db) => Promise<T>): Promise<Present<T>> {
  const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return reading.execute(async (trx) => {
    const { rows } = await sql<{ epoch: string; snapshot: string }>`
      select ${epoch} as epoch, pg_current_snapshot()::text as snapshot`.execute(trx);
    return { ...rows[0]!, state: await read(trx) };
  });
}

/**
 * Flushes all assigned transaction ids to disk. Otherwise, Postgres might assign some of them again after a
 * crash.
 */
export async function keepTransactionIds(db: Db): Promise<void> {
  await sql`select pg_logical_emit_message(true, 'fanfare', '')`.execute(db);
}

/** Whether the feed still has the deletion of this subject. */
export async function isDeletionKept(
  db: Db,
  { projectId, environment }: RowScope,
  subject: ChangeSubject,
  subjectId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('changes')
    .select('id')
    .where('subject_id', '=', subjectId)
    .where('project_id', '=', projectId)
    .where('subject', '=', subject)
    .where('kind', '=', sql.lit('deleted'))
    .$if(environment === 'test', (query) => query.where('environment', '=', environment))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

interface ChangePageRow extends HeadRow {
  is_held_back: boolean;
  scanned: number;
  scanned_to: string | null;
}

/**
 * Reads up to `limit` changes after `position`, in order, and the head of the feed, in one snapshot. Returns
 * the changes that pass the filter. Transactions commit out of order, so this reads only below the horizon,
 * where all transactions have ended. `limit` counts the project's changes of every subject, so every page is
 * quick to read.
 */
export async function readChanges(
  db: Db,
  position: FeedPosition,
  limit: number,
  filter?: ChangeFilter,
): Promise<ChangePage> {
  const { rows } = await sql<ChangePageRow & (ChangeRow | { [Column in keyof ChangeRow]: null })>`
    with scan as materialized (
      select * from changes
      where (xid, id) > (${position.xid}::xid8, ${position.id}::bigint)
        and xid < pg_snapshot_xmin(pg_current_snapshot())
        ${filter ? sql`and project_id = ${filter.projectId}` : sql``}
      order by xid, id
      limit ${limit}
    ), head as (
      select ${headColumns},
        exists (
          select from changes where xid >= pg_snapshot_xmin(pg_current_snapshot())
        ) as is_held_back,
        (select count(*) from scan)::int as scanned,
        (select xid || '.' || id from scan order by scan.xid desc, scan.id desc limit 1) as scanned_to
    )
    select head.*, scan.*
    from head left join scan on ${filter ? isAbout(filter) : sql`true`}
    order by scan.xid, scan.id`.execute(db);
  const page = rows[0]!;
  const head = toHead(page);
  const isLast = page.scanned < limit;
  const [xid, id] = (page.scanned_to ?? '0.0').split('.');
  return {
    ...head,
    changes: rows.flatMap((row) => (row.id === null ? [] : [toChange(row)])),
    position: isLast ? { xid: head.horizon, id: 0n } : { xid: BigInt(xid!), id: BigInt(id!) },
    isLast,
    isHeldBack: page.is_held_back,
  };
}

function isAbout({ subject, subjectId }: ChangeFilter) {
  return subjectId === undefined
    ? sql`scan.subject = ${subject}`
    : sql`scan.subject = ${subject} and scan.subject_id = ${subjectId}`;
}

function toChange(row: ChangeRow): ChangeRow {
  const { id, xid, project_id, subject, subject_id, result_id, kind, environment, actor } = row;
  const { created_at } = row;
  return {
    id,
    xid,
    project_id,
    subject,
    subject_id,
    result_id,
    kind,
    environment,
    actor,
    created_at,
  };
}

/** Age of the oldest change that a running transaction holds back from every stream. */
export async function readFeedLagSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds
    from changes where xid >= pg_snapshot_xmin(pg_current_snapshot())`.execute(db);
  return Math.max(0, rows[0]!.seconds);
}

/**
 * Deletes the first `limit` changes older than `before`, and returns how many. No reader sees a transaction
 * in part, since a reader's position must be after `pruned_xid`.
 */
export async function deleteChanges(db: Db, before: Date, limit = 5_000): Promise<number> {
  const { numAffectedRows } = await sql`
    with oldest as materialized (
      select ctid, xid, created_at from changes
      where xid < pg_snapshot_xmin(pg_current_snapshot())
      order by xid, id limit ${limit}
    ), newest as (
      select max(xid) as xid from oldest where created_at < ${before}
    ), marked as (
      update feed_epoch set pruned_xid = newest.xid from newest where pruned_xid < newest.xid
    )
    delete from changes where ctid = any (array(
      select ctid from oldest where oldest.xid <= (select newest.xid from newest)))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** A restored dump may contain transaction ids that this server has not reached yet. */
export async function deleteForeignChanges(db: Db): Promise<void> {
  await sql`delete from changes where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db);
}

/** A position with this id is after every change of its transaction. */
export const lastId = 2n ** 63n - 1n;

function toHead(row: HeadRow): FeedHead {
  return {
    epoch: row.epoch,
    horizon: BigInt(row.horizon),
    next: BigInt(row.next),
    last: { xid: BigInt(row.last_xid ?? row.pruned_xid), id: lastId },
    prunedXid: BigInt(row.pruned_xid),
  };
}
