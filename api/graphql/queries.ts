// The queries that most resources have: one thing by its id, and the list.
import type { InputFieldMap } from '@pothos/core';
import type { z } from 'zod';
import type { Page } from '../../schema/wire/listing.ts';
import type { Scope } from '../../schema/scopes.ts';
import { builder, operationCost } from './builder.ts';
import type { Caller, Context } from '../server/context.ts';
import {
  pageArguments,
  pageCost,
  toConnection,
  toIdCursor,
  type Connection,
  type Ref,
} from './connections.ts';
import type { GraphqlContext } from './context.ts';
import { list, read, readId, type Arguments } from './operation.ts';
import { idArguments } from './shapes.ts';

interface OneOptions<T> {
  type: Ref<T>;
  description: string;
  scope: Scope;
  /** What the id names, in words. */
  what: string;
  get(this: void, context: Context, caller: Caller, id: string): Promise<T>;
}

/** `webhook(id: "wh_…")` */
export function queryOne<T>(name: string, options: OneOptions<T>): void {
  const { type, description, scope, what, get } = options;

  function resolve(_: unknown, { id }: { id: string }, graphql: GraphqlContext): Promise<T> {
    return read(graphql, scope, (context, caller) => get(context, caller, readId(what, id)));
  }
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      complexity: operationCost,
      args: idArguments,
      resolve: resolve as never,
    }),
  );
}

/** What a list is asked by, wherever it stands. */
export interface ListOptions<T, Query> {
  type: Ref<Connection<T>>;
  description: string;
  scope: Scope;
  /** Of the query in REST. */
  schema: z.ZodType<Query>;
  filters?: InputFieldMap;
}

interface PagesOptions<T, Query> extends ListOptions<T, Query> {
  list(this: void, context: Context, caller: Caller, query: Query): Promise<Page<T>>;
}

/** `webhooks(first: 10)` */
export function queryPages<T extends { id: string }, Query>(
  name: string,
  options: PagesOptions<T, Query>,
): void {
  const { type, description, scope, schema, filters = {} } = options;
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      complexity: pageCost,
      args: { ...pageArguments, ...filters },
      resolve: async (_, args, graphql): Promise<never> => {
        const page = await list(graphql, scope, schema, args as Arguments, options.list);
        return toConnection(page, args.after, toIdCursor) as never;
      },
    }),
  );
}

interface PagesOfOptions<T, Query> extends ListOptions<T, Query> {
  list(
    this: void,
    context: Context,
    caller: Caller,
    webhookId: string,
    query: Query,
  ): Promise<Page<T>>;
}

/** `deliveries(webhookId: "wh_…", first: 10)` */
export function queryPagesOfWebhook<T extends { id: string }, Query>(
  name: string,
  options: PagesOfOptions<T, Query>,
): void {
  const { type, description, scope, schema, filters = {} } = options;
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      description,
      complexity: pageCost,
      args: { webhookId: t.arg.id({ required: true }), ...pageArguments, ...filters },
      resolve: async (_, { webhookId, ...args }, graphql): Promise<never> => {
        const page = await list(
          graphql,
          scope,
          schema,
          args as Arguments,
          (context, caller, query) =>
            options.list(context, caller, readId('webhook', webhookId), query),
        );
        return toConnection(page, args.after, toIdCursor) as never;
      },
    }),
  );
}
