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
import { InvalidArgument } from './invalid-argument.ts';

const defaultMinutes = '15';
const maxMinutes = 525_600;

export function readMinutes(given = defaultMinutes): number {
  const minutes = /^\d+$/.test(given) ? Number(given) : NaN;
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  throw new InvalidArgument(`--minutes must be a whole number from 1 to ${maxMinutes}.`);
}

export async function showStuck(db: Db, minutes: number): Promise<string> {
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
  const lines = [
    ...show(posts, 'posts', failures, targetsOf),
    ...show(deliveries, 'deliveries', failures),
  ];
  return lines.length > 0 ? lines.join('\n') : 'Nothing is stuck.';
}

type Failures = Map<string, ActivityFailureRow>;

/** Keys of the row's own errors, and of its workflow's errors. */
function failureKeysOf({ id, workflow_id }: StuckRow): string[] {
  return workflow_id === null ? [] : [failureKeyOf(workflow_id, id), workflow_id];
}

function failureOf(row: StuckRow, failures: Failures): ActivityFailureRow | undefined {
  return failureKeysOf(row)
    .map((key) => failures.get(key))
    .find((failure) => failure !== undefined);
}

function show(
  { rows, total }: Stuck,
  what: string,
  failures: Failures,
  targetsOf?: Map<string, LateTarget[]>,
): string[] {
  const lines = rows.flatMap((row) => [
    showRow(row, failureOf(row, failures)),
    ...showTargets(targetsOf?.get(row.id) ?? []),
  ]);
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

function showRow(row: StuckRow, failure: ActivityFailureRow | undefined): string {
  const { id, project_id, since, status, paused_by, workflow_id } = row;
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
