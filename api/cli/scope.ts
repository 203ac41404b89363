// What an operator may pause, by the word on the command line.
import type { Db } from '../../schema/database/tables.ts';
import { deliveriesScope } from '../../schema/database/dispatch/pauses.ts';
import { platformNames } from '../../schema/platforms/index.ts';
import { RefusedArgument } from './refused-argument.ts';

const fixedScopes: readonly string[] = [deliveriesScope, ...platformNames];

const allowed = `Give \`${deliveriesScope}\`, a network (${platformNames.join(', ')}) or the id of a project.`;

/** Throws a RefusedArgument when there is no such network and no such project. */
export async function checkScope(db: Db, scope: string): Promise<void> {
  if (fixedScopes.includes(scope)) return;
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', scope)
    .executeTakeFirst();
  if (project) return;
  throw new RefusedArgument(scope ? `Nothing has the name or id ${scope}. ${allowed}` : allowed);
}
