// Reads for many fields at once what each asks for alone, so that a level of an answer costs one query.
import DataLoader from 'dataloader';
import type { GraphqlContext } from './context.ts';

export type Load<Found> = (graphql: GraphqlContext, key: string) => Promise<Found | undefined>;

/** Keeps nothing: what a stream shows later, or a second mutation, is read anew. */
export function inBatches<Found>(
  find: (graphql: GraphqlContext, keys: string[]) => Promise<ReadonlyMap<string, Found>>,
): Load<Found> {
  const loaders = new WeakMap<GraphqlContext, DataLoader<string, Found | undefined>>();

  function loaderOf(graphql: GraphqlContext) {
    const known = loaders.get(graphql);
    if (known) return known;
    const loader = new DataLoader<string, Found | undefined>(
      async (keys) => {
        const found = await find(graphql, [...new Set(keys)]);
        return keys.map((key) => found.get(key));
      },
      { cache: false },
    );
    loaders.set(graphql, loader);
    return loader;
  }
  return (graphql, key) => loaderOf(graphql).load(key);
}

/** The same for fields with arguments: those with the same ones are read together. */
export function inBatchesByQuery<Found, Query>(
  find: (
    graphql: GraphqlContext,
    keys: string[],
    query: Query,
  ) => Promise<ReadonlyMap<string, Found>>,
): (graphql: GraphqlContext, key: string, query: Query) => Promise<Found | undefined> {
  const loads = new WeakMap<GraphqlContext, Map<string, Load<Found>>>();

  return (graphql, key, query) => {
    const known = loads.get(graphql) ?? new Map<string, Load<Found>>();
    loads.set(graphql, known);
    const name = JSON.stringify(query);
    const load = known.get(name) ?? inBatches((_, keys) => find(graphql, keys, query));
    known.set(name, load);
    return load(graphql, key);
  };
}
