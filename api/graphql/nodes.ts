// What has an id of its own in GraphQL, found by that id for whichever field leads to it.
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../server/context.ts';
import { inBatches, type Load } from './batches.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { findTextFaults } from '../http/text-faults.ts';

/** Of these ids those that the caller may see, in any order. */
type FindMany<T> = (context: Context, caller: Caller, ids: string[]) => Promise<T[]>;

/** What a type's fields need of it to be a `Node`, and what leads to it from elsewhere. */
export interface Nodes<T> {
  /** Undefined: there is none, or it is another project's. */
  readonly load: Load<T>;
  /** For `builder.node`. */
  readonly options: {
    id: { resolve(this: void, node: T): string };
    loadManyWithoutCache(this: void, ids: string[], graphql: GraphqlContext): Promise<(T | null)[]>;
  };
}

export function nodesOf<T extends { id: string }>(scope: Scope, find: FindMany<T>): Nodes<T> {
  const load = inBatches<T>(async (graphql, ids) => {
    const caller = requireCaller(graphql, scope);
    const storable = ids.filter((id) => findTextFaults(id).length === 0);
    const found = storable.length === 0 ? [] : await find(graphql.app, caller, storable);
    return new Map(found.map((node) => [node.id, node]));
  });
  return {
    load,
    options: {
      id: { resolve: ({ id }) => id },
      loadManyWithoutCache: (ids, graphql) =>
        Promise.all(ids.map((id) => loadOrFault(load, graphql, id))),
    },
  };
}

/** GraphQL takes an error in the place of a value for the fault of that one, and shows the others. */
async function loadOrFault<T>(
  load: Load<T>,
  graphql: GraphqlContext,
  id: string,
): Promise<T | null> {
  try {
    return (await load(graphql, id)) ?? null;
  } catch (error) {
    return error as T;
  }
}
