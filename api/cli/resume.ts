// The command `resume`: takes a pause away, and gives what it held to new workflows.
import type { Db } from '../../schema/database/tables.ts';
import { notify } from '../../schema/database/live/notifier.ts';
import { resumePosts } from '../../schema/database/dispatch/resuming.ts';
import { deletePause } from '../../schema/database/dispatch/pauses.ts';
import { checkScope } from './scope.ts';

/** To repeat one that was broken off finishes it; the sweeper does so too. */
export async function resume(db: Db, scope: string): Promise<string> {
  const wasPaused = await deletePause(db, scope);
  // The project of a pause may be gone by now.
  if (!wasPaused) await checkScope(db, scope);
  await notify(db, 'fanfare_deliveries');
  let count = 0;
  for await (const resumed of resumePosts(db)) {
    count += resumed;
    await notify(db, 'fanfare_outbox');
  }
  const done = wasPaused ? `Resumed ${scope}.` : `${scope} was not paused.`;
  if (count === 0) return done;
  return `${done} ${count === 1 ? '1 post goes' : `${count} posts go`} on.`;
}
