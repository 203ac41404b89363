// Shapes that several resources share in GraphQL: enums of wire words, and pages.
import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Page } from '../schema/listing.ts';
import { builder, operationCost, type GraphqlTypes } from './builder.ts';

/** An enum whose values are the wire's words: `post.published` is `POST_PUBLISHED`. */
export function wordEnum<const Word extends string>(
  name: string,
  words: readonly Word[],
  descriptions: Partial<Record<Word, string>> & { enum?: string } = {},
) {
  const values = words.map((word) => {
    const description = descriptions[word];
    const value = { value: word, ...(description === undefined ? {} : { description }) };
    return [word.toUpperCase().replace(/\W/g, '_'), value] as const;
  });
  return builder.enumType(name, {
    ...(descriptions.enum === undefined ? {} : { description: descriptions.enum }),
    values: Object.fromEntries(values),
  });
}

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

const PageInfoRef = builder.objectRef<PageInfo>('PageInfo').implement({
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage'),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'The `after` of the next page. Null on the last one.',
    }),
  }),
});

export interface Connection<T> {
  nodes: T[];
  pageInfo: PageInfo;
}

/** The page of a list as GraphQL shows it. */
export function connectionOf<T>(name: string, node: NodeRef<T>) {
  return builder.objectRef<Connection<T>>(name).implement({
    fields: (t) => ({
      nodes: t.field({ type: [node], complexity: 1, resolve: (connection) => connection.nodes }),
      pageInfo: t.field({ type: PageInfoRef, resolve: (connection) => connection.pageInfo }),
    }),
  });
}

type NodeRef<T> = ObjectRef<PothosSchemaTypes.ExtendDefaultTypes<GraphqlTypes>, T>;

export function toConnection<T>({ data, meta }: Page<T>): Connection<T> {
  return {
    nodes: data,
    pageInfo: { hasNextPage: meta.has_more, endCursor: meta.next_cursor },
  };
}

/** A list costs as much as the page that is asked for. */
export function pageCost({ first }: { first?: number | null | undefined }) {
  return { field: operationCost, multiplier: Math.max(1, first ?? 25) };
}

/** The arguments of every list. */
export const pageArguments = builder.args((t) => ({
  first: t.int({ description: 'How many, 1–100; default 25.' }),
  after: t.string({ description: 'The `endCursor` of the page before.' }),
}));

/** The argument of everything that is one thing. */
export const idArguments = builder.args((t) => ({ id: t.id({ required: true }) }));

/** The argument of a mutation that must not be done twice. */
export const idempotencyArguments = builder.args((t) => ({
  idempotencyKey: t.string({
    description: 'The same call with the same key within 24 h gets the first answer again.',
  }),
}));

/** The input of a mutation that takes none. */
export const noInput = z.strictObject({});
