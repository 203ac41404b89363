// Lists in GraphQL: Relay connections with the pages and cursors of REST.
import type { ObjectRef } from '@pothos/core';
import type { PageInfoShape } from '@pothos/plugin-relay';
import { defaultPageSize, maxPageSize, toCursor, type Page } from '../../schema/wire/listing.ts';
import { builder, operationCost, type GraphqlTypes } from './builder.ts';

export type Ref<T> = ObjectRef<PothosSchemaTypes.ExtendDefaultTypes<GraphqlTypes>, T>;

export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  pageInfo: PageInfoShape;
}

/** The connection type of a node type. */
export function connectionOf<T>(name: `${string}Connection`, node: Ref<T>): Ref<Connection<T>> {
  const ref: unknown = builder.connectionObject(
    { type: node, name, description: 'A page of a list.' },
    { description: 'An item of a page, with its cursor.' },
  );
  return ref as Ref<Connection<T>>;
}

/** A page as a connection. `after` is the cursor of the request. */
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

/** The cursor of a node with an ID. */
export function toIdCursor({ id }: { id: string }): string {
  return toCursor(id);
}

interface PageSize {
  first?: number | null | undefined;
}

/** A list costs as much as its page can hold. */
export function pageCost({ first }: PageSize) {
  const size = Math.max(1, first ?? defaultPageSize);
  return { field: operationCost + size, multiplier: size };
}

/** The cost of a list below a parent. One query reads the lists of all parents. */
export function nestedPageCost(args: PageSize) {
  const { multiplier: size } = pageCost(args);
  return { field: 1 + size, multiplier: size };
}

/** The arguments of every list. */
export const pageArguments = builder.args((t) => ({
  first: t.int({
    defaultValue: defaultPageSize,
    description: `Page size, at most ${maxPageSize}. With 0, the page is empty, and \`pageInfo.hasNextPage\` says whether there are items.`,
  }),
  after: t.string({ description: 'Cursor of the item before the page.' }),
}));
