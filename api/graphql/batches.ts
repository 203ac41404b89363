// Combines the reads of many fields into one query.
import DataLoader from 'dataloader';
import type { GraphqlContext } from './context.ts';
import { readWithinLimit } from './response-limit.ts';

/** A page of 100 posts with their results has at most 300 keys. */
const maxBatchSize = 500;

export type Load<Found> = (graphql: GraphqlContext, key: string) => Promise<Found | undefined>;

type Find<Found, Query> = (
  graphql: GraphqlContext,
  keys: string[],
  query: Query,
) => Promise<ReadonlyMap<string, Found>>;

export function inBatches<Found>(find: Find<Found, null>): Load<Found> {
  const load = inBatchesByQuery(find);
  return (graphql, key) => load(graphql, key, null);
}

/**
 * Combines the reads of fields with arguments. Fields with the same arguments share a query. Nothing is
 * cached, so a second mutation or a later message of a stream reads again.
 */
export function inBatchesByQuery<Found, Query>(
  find: Find<Found, Query>,
): (graphql: GraphqlContext, key: string, query: Query) => Promise<Found | undefined> {
  type Loader = DataLoader<string, Found | undefined>;
  const loaders = new WeakMap<GraphqlContext, Map<string, Loader>>();

  return (graphql, key, query) => {
    const known = loaders.get(graphql) ?? new Map<string, Loader>();
    loaders.set(graphql, known);
    const name = JSON.stringify(query);
    const loader: Loader =
      known.get(name) ??
      new DataLoader(
        async (keys) => {
          // Equal keys share a batch, and the next batch reads again.
          for (const key of keys) loader.clear(key);
          const found = await readWithinLimit(graphql, () => find(graphql, [...keys], query));
          return keys.map((key) => found.get(key));
        },
        { maxBatchSize },
      );
    known.set(name, loader);
    return loader.load(key);
  };
}
