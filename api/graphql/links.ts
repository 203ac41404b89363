// Fields that link one resource to another, or to a page of others.
import type { InterfaceRef } from '@pothos/core';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import { builder, type GraphqlTypes } from './builder.ts';
import type { Caller, Context } from '../http/context.ts';
import { inBatchesByQuery, type Load } from './batches.ts';
import {
  nestedPageCost,
  pageArguments,
  toConnection,
  type Connection,
  type Ref,
} from './connections.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { list, type Arguments } from './operation.ts';
import type { ListOptions } from './queries.ts';
import { emptyPage } from '../http/listing.ts';

type InterfaceOf<T> = InterfaceRef<PothosSchemaTypes.ExtendDefaultTypes<GraphqlTypes>, T>;

interface OneOptions<Parent, T> {
  type: Ref<T>;
  description: string;
  load: Load<T>;
  /** Null: the parent has no such resource. */
  idOf(this: void, parent: Parent): string | null;
}

/** `result { account { … } }` */
export function linkOne<Parent, T>(
  parent: Ref<Parent>,
  name: string,
  { type, description, load, idOf }: OneOptions<Parent, T>,
): void {
  async function resolve(from: Parent, _: unknown, graphql: GraphqlContext) {
    const id = idOf(from);
    return id === null ? null : ((await load(graphql, id)) ?? null);
  }
  builder.objectField(parent, name, (t) =>
    t.field({ type, nullable: true, description, complexity: 1, resolve: resolve as never }),
  );
}

interface PagesOptions<T, Query extends Paging> extends ListOptions<T, Query> {
  description: string;
  toNodeCursor(this: void, node: T): string;
  /** A page for each parent, by its id. */
  listMany(
    this: void,
    context: Context,
    caller: Caller,
    parentIds: string[],
    query: Query,
  ): Promise<ReadonlyMap<string, Page<T>>>;
}

/** `post { events(first: 10) { … } }` */
export function linkPages<Parent extends { id: string }, T, Query extends Paging>(
  parent: Ref<Parent> | InterfaceOf<Parent>,
  name: string,
  options: PagesOptions<T, Query>,
): void {
  const { type, description, scope, schema, filters = {}, toNodeCursor } = options;
  const load = inBatchesByQuery((graphql, ids, query: Query) =>
    options.listMany(graphql.app, requireCaller(graphql, scope), ids, query),
  );

  async function resolve(
    { id }: Parent,
    args: Arguments,
    graphql: GraphqlContext,
  ): Promise<Connection<T>> {
    const page = await list(
      graphql,
      scope,
      schema,
      args,
      async (_context, _caller, query) => (await load(graphql, id, query)) ?? emptyPage(query),
    );
    return toConnection(page, args['after'], toNodeCursor);
  }
  const field = {
    type,
    nullable: true,
    description,
    complexity: nestedPageCost,
    extensions: { query: schema },
    args: { ...pageArguments, ...filters },
    resolve,
  } as const;
  if (parent.kind === 'Interface') builder.interfaceField(parent, name, (t) => t.field(field));
  else builder.objectField(parent, name, (t) => t.field(field));
}
