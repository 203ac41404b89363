// The queries that most resources have: one by its ID, and the list.
import type { InputFieldMap } from '@pothos/core';
import type { z } from 'zod';
import { CountByDay } from '../../schema/wire/counts.ts';
import type { Page } from '../../schema/wire/listing.ts';
import type { Scope } from '../../schema/scopes.ts';
import { builder, operationCost } from './builder.ts';
import type { Caller, Context } from '../http/context.ts';
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
import { readWithinLimit } from './response-limit.ts';
import { idArguments } from './shapes.ts';

interface OneOptions<T> {
  type: Ref<T>;
  scope: Scope;
  /** The resource's name in messages, such as `API key`. */
  resource: string;
  get(this: void, context: Context, caller: Caller, id: string): Promise<T>;
}

/** `webhook(id: "wh_…")` */
export function queryOne<T>(name: string, options: OneOptions<T>): void {
  const { type, scope, resource, get } = options;

  function resolve(_: unknown, { id }: { id: string }, graphql: GraphqlContext): Promise<T> {
    return read(graphql, scope, (context, caller) =>
      readWithinLimit(graphql, () => get(context, caller, readId(resource, id))),
    );
  }
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      complexity: operationCost,
      args: idArguments(resource),
      resolve: resolve as never,
    }),
  );
}

interface CountsOptions<T> {
  type: Ref<T>;
  scope: Scope;
  count(this: void, context: Context, caller: Caller, query: CountByDay): Promise<Page<T>>;
}

/** `postCounts(from: "…", to: "…", timezone: "Europe/Berlin")` */
export function queryCounts<T>(name: string, { type, scope, count }: CountsOptions<T>): void {
  function resolve(_: unknown, args: Arguments, graphql: GraphqlContext): Promise<T[]> {
    return list(graphql, scope, CountByDay, args, async (context, caller, query) => {
      const { data } = await count(context, caller, query);
      return data;
    });
  }
  builder.queryField(name, (t) =>
    t.field({
      type: [type],
      nullable: true,
      complexity: operationCost,
      extensions: { query: CountByDay },
      args: {
        from: t.arg({ type: 'DateTime', required: true }),
        to: t.arg({ type: 'DateTime', required: true }),
        timezone: t.arg.string(),
      },
      resolve: resolve as never,
    }),
  );
}

/** The options of every list field. */
export interface ListOptions<T, Query> {
  type: Ref<Connection<T>>;
  scope: Scope;
  /** The schema of the query in REST. */
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
  addPages(name, options, {}, options.list);
}

interface PagesOfOptions<T, Query> extends ListOptions<T, Query> {
  list(
    this: void,
    context: Context,
    caller: Caller,
    webhookId: string,
    query: Query,
  ): Promise<Page<T>>;
  /** Lists those of all webhooks, if no webhook is named. Default: one must be named. */
  listAll?(this: void, context: Context, caller: Caller, query: Query): Promise<Page<T>>;
}

/** `deliveries(webhookId: "wh_…", first: 10)` */
export function queryPagesOfWebhook<T extends { id: string }, Query>(
  name: string,
  options: PagesOfOptions<T, Query>,
): void {
  const { list, listAll } = options;
  const description = listAll ? 'ID of the webhook. Default: all webhooks.' : 'ID of the webhook.';
  const parent = builder.args((t) => ({ webhookId: t.id({ required: !listAll, description }) }));
  addPages(name, options, parent, (context, caller, query, { webhookId }) =>
    listAll && (webhookId === null || webhookId === undefined)
      ? listAll(context, caller, query)
      : list(context, caller, readId('webhook', String(webhookId)), query),
  );
}

function addPages<T extends { id: string }, Query>(
  name: string,
  { type, scope, schema, filters = {} }: ListOptions<T, Query>,
  parent: InputFieldMap,
  run: (context: Context, caller: Caller, query: Query, args: Arguments) => Promise<Page<T>>,
): void {
  builder.queryField(name, (t) =>
    t.field({
      type,
      nullable: true,
      complexity: pageCost,
      extensions: { query: schema },
      args: { ...parent, ...pageArguments, ...filters },
      resolve: async (_, args, graphql): Promise<never> => {
        const entries = Object.entries(args as Arguments);
        const query = Object.fromEntries(entries.filter(([name]) => !(name in parent)));
        const page = await list(graphql, scope, schema, query, (...given) =>
          readWithinLimit(graphql, () => run(...given, args)),
        );
        return toConnection(page, args.after, toIdCursor) as never;
      },
    }),
  );
}
