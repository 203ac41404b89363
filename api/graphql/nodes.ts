// Loads resources by ID, for every GraphQL field that leads to them.
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../http/context.ts';
import { inBatches, type Load } from './batches.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { findTextIssues } from '../http/text-issues.ts';

/** The resources with these IDs that the caller can see, in any order. */
type FindMany<T> = (context: Context, caller: Caller, ids: string[]) => Promise<T[]>;

/** The loader of a type, and its options as a Relay `Node`. */
export interface Nodes<T> {
  /** Undefined: the project has none with this ID. */
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
    const storable = ids.filter((id) => findTextIssues(id).length === 0);
    const found = storable.length === 0 ? [] : await find(graphql.app, caller, storable);
    return new Map(found.map((node) => [node.id, node]));
  });
  return {
    load,
    options: {
      id: { resolve: ({ id }) => id },
      loadManyWithoutCache: (ids, graphql) =>
        Promise.all(ids.map((id) => loadOrError(load, graphql, id))),
    },
  };
}

/** GraphQL reports an error in the place of a node and still shows the other nodes. */
async function loadOrError<T>(
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
