// The command `stuck`: lists late posts with the reason of each target, and overdue deliveries. The oldest come first.
import {
  failureKeyOf,
  listActivityFailures,
} from '../../schema/database/dispatch/activity-failures.ts';
import { listLateTargets, type LateTarget } from '../../schema/database/dispatch/late-targets.ts';
import type { ActivityFailureRow, Db } from '../../schema/database/tables.ts';
import {
  listStuckDeliveries,
  listStuckPosts,
  type Stuck,
  type StuckRow,
} from '../../schema/database/dispatch/stuck.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import type { Answer } from './output/answer.ts';
import { InvalidArgument } from './output/invalid-argument.ts';

const defaultMinutes = '15';
const maxMinutes = 525_600;

export function readMinutes(given = defaultMinutes): number {
  const minutes = /^\d+$/.test(given) ? Number(given) : NaN;
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  throw new InvalidArgument(`--minutes must be a whole number from 1 to ${maxMinutes}.`);
}

export async function showStuck(db: Db, minutes: number): Promise<Answer> {
  const posts = await listStuckPosts(db, minutes * 60_000);
  const deliveries = await listStuckDeliveries(db, minutes * 60_000);
  const failures = await listActivityFailures(
    db,
    [...posts.rows, ...deliveries.rows].flatMap(failureKeysOf),
  );
  const targets = await listLateTargets(
    db,
    posts.rows.map(({ id }) => id),
  );
  const targetsOf = Map.groupBy(targets, ({ post_id }) => post_id);
  const explain = ({ rows, total }: Stuck): Explained => ({
    total,
    rows: rows.map((row) => ({
      ...row,
      failure: failureOf(row, failures) ?? null,
      targets: targetsOf.get(row.id) ?? [],
    })),
  });
  const data = { posts: explain(posts), deliveries: explain(deliveries) };
  const lines = Object.entries(data).flatMap(([what, found]) => show(found, what));
  return { text: lines.length > 0 ? lines.join('\n') : 'Nothing is stuck.', data };
}

type Failures = Map<string, ActivityFailureRow>;

interface ExplainedRow extends StuckRow {
  failure: ActivityFailureRow | null;
  /** Of a post. */
  targets: LateTarget[];
}

interface Explained {
  rows: ExplainedRow[];
  /** There can be more than the rows. */
  total: number;
}

/** Keys of the row's own errors, and of its workflow's errors. */
function failureKeysOf({ id, workflow_id }: StuckRow): string[] {
  return workflow_id === null ? [] : [failureKeyOf(workflow_id, id), workflow_id];
}

function failureOf(row: StuckRow, failures: Failures): ActivityFailureRow | undefined {
  return failureKeysOf(row)
    .map((key) => failures.get(key))
    .find((failure) => failure !== undefined);
}

function show({ rows, total }: Explained, what: string): string[] {
  const lines = rows.flatMap((row) => [showRow(row), ...showTargets(row.targets)]);
  return total > rows.length ? [...lines, `… and ${total - rows.length} more ${what}.`] : lines;
}

/** A thread can have many targets. */
const shownTargets = 10;

function showTargets(targets: LateTarget[]): string[] {
  const lines = targets.slice(0, shownTargets).map(showTarget);
  const rest = targets.length - lines.length;
  return rest > 0 ? [...lines, `  … and ${rest} more targets.`] : lines;
}

function showTarget(target: LateTarget): string {
  const { id, platform, reason, next_attempt_at, attempts, last_error } = target;
  const parts = [
    id,
    platform,
    `waits for ${reason}`,
    next_attempt_at ? `next attempt ${next_attempt_at.toISOString()}` : 'no next attempt',
    countOf(attempts, 'attempt'),
    ...(last_error === null ? [] : [`last error ${last_error}`]),
  ];
  return `  ${parts.join('  ')}`;
}

function showRow(row: ExplainedRow): string {
  const { id, project_id, since, status, paused_by, workflow_id, failure } = row;
  return [
    id,
    project_id,
    `since ${since.toISOString()}`,
    status,
    paused_by.length > 0 ? `paused by ${paused_by.join(', ')}` : 'not paused',
    workflow_id ?? 'no workflow',
    ...(failure ? [showFailure(failure)] : []),
  ].join('  ');
}

function showFailure({ activity, failures, failed_at, error }: ActivityFailureRow): string {
  const times = failures === 1 ? 'once' : `${failures} times, last`;
  return `${activity} failed ${times} at ${failed_at.toISOString()}: ${error}`;
}
