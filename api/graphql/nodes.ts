// Loads resources by ID, for every GraphQL field that leads to them.
import type { Scope } from '../../schema/scopes.ts';
import type { Caller, Context } from '../http/context.ts';
import { findTextIssues } from '../http/text-issues.ts';
import { inBatches } from './batches.ts';
import { requireCaller, type GraphqlContext } from './context.ts';

/** The resources with these IDs that the caller can see, in any order. */
type FindMany<T> = (context: Context, caller: Caller, ids: string[]) => Promise<T[]>;

/** The loader of a type, and its options for `builder.node`. */
export function nodesOf<T extends { id: string }>(scope: Scope, find: FindMany<T>) {
  /** Undefined: the project has no resource with this ID. */
  const load = inBatches<T>(async (graphql, ids) => {
    const caller = requireCaller(graphql, scope);
    const storable = ids.filter((id) => findTextIssues(id).length === 0);
    const found = storable.length === 0 ? [] : await find(graphql.app, caller, storable);
    return new Map(found.map((node) => [node.id, node]));
  });
  return {
    load,
    options: {
      id: { resolve: ({ id }: T): string => id },
      /** GraphQL reports an error in the place of a node and still shows the other nodes. */
      loadWithoutCache: (id: string, graphql: GraphqlContext) =>
        load(graphql, id).catch((error: unknown) => error as T),
    },
  };
}
