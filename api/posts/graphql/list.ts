// The list of posts in GraphQL: filters as arguments, orders, and counts of posts.
import { useInstead } from '../../../schema/wire/deprecations.ts';
import { meaningsOf } from '../../../schema/wire/described-enum.ts';
import {
  ListPosts,
  PostOrder,
  type PostCount,
  type PostFilters,
  type TotalCount,
} from '../../../schema/posts/listing.ts';
import { toCursor } from '../../../schema/wire/listing.ts';
import { validationError } from '../../../schema/wire/errors.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import {
  connectionOf,
  pageArguments,
  pageCost,
  toConnection,
  type Connection,
  type Ref,
} from '../../graphql/connections.ts';
import { list, read } from '../../graphql/operation.ts';
import { queryCounts } from '../../graphql/queries.ts';
import { readWithinLimit } from '../../graphql/response-limit.ts';
import type { Caller, Context } from '../../http/context.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { listPostCounts } from '../listing/count-posts.ts';
import { countPosts, listPosts } from '../listing/list-posts.ts';
import { toPostPosition } from '../listing/positions.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { PostRef, PostStatusRef } from './shapes.ts';

const orderNames = {
  CREATED_AT_DESC: '-created_at',
  SCHEDULED_AT_ASC: 'scheduled_at',
  SCHEDULED_AT_DESC: '-scheduled_at',
  PUBLISHED_AT_DESC: '-published_at',
} as const satisfies Record<string, PostOrder>;

const PostOrderRef = builder.enumType('PostOrder', {
  description: PostOrder.meta()!.description!,
  values: Object.fromEntries(
    Object.entries(orderNames).map(([name, value]) => {
      return [name, { value, description: meaningsOf(PostOrder)[value]! }];
    }),
  ) as Record<keyof typeof orderNames, { value: PostOrder; description: string }>,
});

const KeyValueInput = builder.inputType('KeyValueInput', {
  description: 'A key with its value.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key.' }),
    value: t.string({ required: true, description: 'The value.' }),
  }),
});

interface PostList extends Connection<Post> {
  filters: PostFilters;
}

const PostConnection = connectionOf('PostConnection', PostRef) as Ref<unknown> as Ref<PostList>;

const TotalCountRef = builder.objectRef<TotalCount>('TotalCount').implement({
  fields: (t) => ({
    value: t.exposeInt('value'),
    isCapped: t.exposeBoolean('is_capped'),
  }),
});

builder.objectField(PostConnection, 'totalCount', (t) =>
  t.field({
    type: TotalCountRef,
    nullable: true,
    description: 'Number of posts that match the filters. Counted only if you select it.',
    complexity: operationCost,
    resolve: ({ filters }, _args, graphql) =>
      read(graphql, 'posts:read', (context, caller) => countPosts(context, caller, filters)),
  }),
);

const filters = builder.args((t) => ({
  status: t.field({
    type: PostStatusRef,
    description: 'Only posts with this status.',
    deprecationReason: useInstead('statuses', '0.2'),
  }),
  statuses: t.field({
    type: [PostStatusRef],
    description: 'Only posts with one of these statuses.',
  }),
  platform: t.field({ type: PlatformRef }),
  accountId: t.id(),
  socialAccountId: t.id({ deprecationReason: useInstead('accountId', '0.2') }),
  externalUserId: t.string(),
  labels: t.stringList({ description: 'Only posts with one of these labels.' }),
  metadata: t.field({ type: [KeyValueInput] }),
  q: t.string(),
  createdFrom: t.field({ type: 'DateTime' }),
  createdTo: t.field({ type: 'DateTime' }),
  from: t.field({ type: 'DateTime' }),
  to: t.field({ type: 'DateTime' }),
  scheduledFrom: t.field({ type: 'DateTime' }),
  scheduledTo: t.field({ type: 'DateTime' }),
  publishedFrom: t.field({ type: 'DateTime' }),
  publishedTo: t.field({ type: 'DateTime' }),
  orderBy: t.field({
    type: PostOrderRef,
    description: 'Order of the list. A cursor belongs to its order. Default: `CREATED_AT_DESC`.',
  }),
}));

/** The arguments that REST names otherwise. */
const names = { status: 'statuses', label: 'labels', order: 'orderBy' };

builder.queryField('posts', (t) =>
  t.field({
    type: PostConnection,
    nullable: true,
    complexity: pageCost,
    extensions: { query: ListPosts },
    args: { ...pageArguments, ...filters },
    resolve: async (_, { status, statuses, labels, orderBy, metadata, ...args }, graphql) => {
      if (status && statuses) {
        const message = 'must not be sent beside `statuses`';
        throw validationError([{ path: ['status'], code: 'both_names', message }]);
      }
      const query = {
        ...args,
        status: statuses ?? (status ? [status] : undefined),
        label: labels,
        order: orderBy,
        metadata: metadata && toMap(metadata),
      };
      const keys = { metadata: (metadata ?? []).map(({ key }) => key) };
      const readPage = async (context: Context, caller: Caller, given: ListPosts) => {
        const page = await readWithinLimit(graphql, () => listPosts(context, caller, given));
        const toNodeCursor = (post: Post) => toCursor(toPostPosition(given.order, post));
        return { ...toConnection(page, args.after, toNodeCursor), filters: given };
      };
      return list(graphql, 'posts:read', ListPosts, query, readPage, { names, keys });
    },
  }),
);

function toMap(pairs: readonly { key: string; value: string }[]): Record<string, string> {
  pairs.forEach(({ key }, i) => {
    if (pairs.findIndex((pair) => pair.key === key) === i) return;
    const message = 'must be given only once';
    throw validationError([{ path: ['metadata', i, 'key'], code: 'repeated_parameter', message }]);
  });
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}

const PostCountRef = builder.objectRef<PostCount>('PostCount').implement({
  fields: (t) => ({
    date: t.exposeString('date'),
    status: t.expose('status', { type: PostStatusRef }),
    count: t.exposeInt('count'),
  }),
});

queryCounts('postCounts', { type: PostCountRef, scope: 'posts:read', count: listPostCounts });
