// The command `stuck`: what should have moved by now, one line each, the oldest first.
import type { Db } from '../../schema/database/database.ts';
import {
  listStuckDeliveries,
  listStuckPosts,
  type Stuck,
  type StuckRow,
} from '../../schema/database/stuck.ts';
import { RefusedArgument } from './refused-argument.ts';

const defaultMinutes = '15';
const maxMinutes = 525_600;

/** Throws a RefusedArgument for what is no such number. */
export function readMinutes(given = defaultMinutes): number {
  const minutes = /^\d+$/.test(given) ? Number(given) : NaN;
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  throw new RefusedArgument(`--minutes takes a whole number from 1 to ${maxMinutes}.`);
}

export async function showStuck(db: Db, minutes: number): Promise<string> {
  const posts = await listStuckPosts(db, minutes * 60_000);
  const deliveries = await listStuckDeliveries(db, minutes * 60_000);
  const lines = [...show(posts, 'posts'), ...show(deliveries, 'deliveries')];
  return lines.length > 0 ? lines.join('\n') : 'Nothing is stuck.';
}

function show({ rows, total }: Stuck, what: string): string[] {
  const lines = rows.map(showRow);
  return total > rows.length ? [...lines, `… and ${total - rows.length} more ${what}.`] : lines;
}

function showRow({ id, project_id, since, status, paused_by, workflow_id }: StuckRow): string {
  return [
    id,
    project_id,
    `since ${since.toISOString()}`,
    status,
    paused_by.length > 0 ? `paused by ${paused_by.join(', ')}` : 'not paused',
    workflow_id ?? 'no workflow',
  ].join('  ');
}
