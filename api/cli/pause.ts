// The commands `pause`, `resume` and `pauses`. Postgres holds the pauses for every worker.
import {
  deletePause,
  deliveriesScope,
  insertPause,
  listPauses,
} from '../../schema/database/pauses.ts';
import { findProjectRow } from '../../schema/database/projects.ts';
import { resumePosts } from '../../schema/database/dispatch/resuming.ts';
import type { Db } from '../../schema/database/tables.ts';
import { platformNames } from '../../schema/platforms/index.ts';
import { countOf } from '../../schema/wire/count-of.ts';
import type { Context } from '../http/context.ts';
import type { Answer } from './output/answer.ts';
import { InvalidArgument } from './output/invalid-argument.ts';
import { toTable } from './output/table.ts';

const fixedScopes: readonly string[] = [deliveriesScope, ...platformNames];

const allowed = `SCOPE is \`${deliveriesScope}\`, a network (${platformNames.join(', ')}) or the ID of a project.`;

/** Throws an InvalidArgument if no such network or project exists. */
export async function checkScope(db: Db, scope: string): Promise<void> {
  if (fixedScopes.includes(scope) || (await findProjectRow(db, scope))) return;
  throw new InvalidArgument(scope ? `Unknown scope: ${scope}. ${allowed}` : allowed);
}

export async function pause(db: Db, scope: string): Promise<Answer> {
  await checkScope(db, scope);
  const isNew = await insertPause(db, scope);
  const text = isNew ? `Paused ${scope}.` : `${scope} is already paused.`;
  return { text, data: { scope, was_paused: !isNew } };
}

/** The sweeper completes an interrupted resume, and so does a second call. */
export async function resume(
  { db, notifier }: Pick<Context, 'db' | 'notifier'>,
  scope: string,
): Promise<Answer> {
  const wasPaused = await deletePause(db, scope);
  // If the scope was paused, it is not checked, because its project may have been deleted since.
  if (!wasPaused) await checkScope(db, scope);
  notifier.notify('fanfare_deliveries');
  let count = 0;
  for await (const resumed of resumePosts(db, notifier)) count += resumed;
  const done = wasPaused ? `Resumed ${scope}.` : `${scope} is not paused.`;
  return {
    text: count === 0 ? done : `${done} Restarted ${countOf(count, 'post')}.`,
    data: { scope, was_paused: wasPaused, restarted_posts: count },
  };
}

export async function showPauses(db: Db): Promise<Answer> {
  const pauses = await listPauses(db);
  const rows = pauses.map(({ scope, created_at }) => [scope, created_at.toISOString()]);
  const text = pauses.length === 0 ? 'Nothing is paused.' : toTable(['SCOPE', 'SINCE'], rows);
  return { text, data: pauses.map(({ scope, created_at }) => ({ scope, created_at })) };
}
