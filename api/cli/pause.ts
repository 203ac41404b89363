// The commands `pause` and `pauses`: what the operator holds back, kept in Postgres for every worker.
import type { Db } from '../../schema/database/tables.ts';
import { insertPause, listPauses } from '../../schema/database/dispatch/pauses.ts';
import { checkScope } from './scope.ts';

export async function pause(db: Db, scope: string): Promise<string> {
  await checkScope(db, scope);
  return (await insertPause(db, scope)) ? `Paused ${scope}.` : `${scope} was paused already.`;
}

export async function showPauses(db: Db): Promise<string> {
  const pauses = await listPauses(db);
  if (pauses.length === 0) return 'Nothing is paused.';
  return pauses
    .map(({ scope, created_at }) => `${scope}  since ${created_at.toISOString()}`)
    .join('\n');
}
