// Lists in GraphQL: Relay's connections over the pages and cursors that REST has.
import type { ObjectRef } from '@pothos/core';
import type { PageInfoShape } from '@pothos/plugin-relay';
import { defaultPageSize, toCursor, type Page } from '../../schema/wire/listing.ts';
import { builder, operationCost, type GraphqlTypes } from './builder.ts';

export type Ref<T> = ObjectRef<PothosSchemaTypes.ExtendDefaultTypes<GraphqlTypes>, T>;

export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  pageInfo: PageInfoShape;
}

/** The type of a list of such nodes. */
export function connectionOf<T>(name: `${string}Connection`, node: Ref<T>): Ref<Connection<T>> {
  const ref: unknown = builder.connectionObject({ type: node, name });
  return ref as Ref<Connection<T>>;
}

/** A page as GraphQL shows it; `after` is the cursor that it was asked for with. */
export function toConnection<T>(
  { data, meta }: Page<T>,
  after: unknown,
  toNodeCursor: (node: T) => string,
): Connection<T> {
  const edges = data.map((node) => ({ cursor: toNodeCursor(node), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: meta.has_more,
      hasPreviousPage: typeof after === 'string',
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The cursor of what has an id. */
export function toIdCursor({ id }: { id: string }): string {
  return toCursor(id);
}

interface PageSize {
  first?: number | null | undefined;
}

/** A list costs as much as the page that is asked for. */
export function pageCost({ first }: PageSize) {
  const size = Math.max(1, first ?? defaultPageSize);
  return { field: operationCost + size, multiplier: size };
}

/** One below a parent is read together with those of all its siblings. */
export function nestedPageCost(args: PageSize) {
  const { multiplier: size } = pageCost(args);
  return { field: 1 + size, multiplier: size };
}

/** The arguments of every list. */
export const pageArguments = builder.args((t) => ({
  first: t.int({ defaultValue: defaultPageSize, description: 'How many, 1–100.' }),
  after: t.string({ description: 'A cursor: the page begins behind it.' }),
}));
