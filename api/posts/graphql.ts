// Reading posts, in GraphQL: queries and the live stream.
import { ListPosts, type Post } from '../../schema/posts.ts';
import { builder, operationCost } from '../builder.ts';
import { connectionOf } from '../graphql-connections.ts';
import { readId } from '../graphql-operation.ts';
import { queryOne, queryPages } from '../graphql-queries.ts';
import { openUpdates, showUpdate, type ShownUpdate } from '../live/updates.ts';
import { PlatformRef } from '../platforms/graphql.ts';
import { getPost, listPosts } from './operations.ts';
import { PostRef, PostStatusRef } from './shapes-graphql.ts';

const PostConnection = connectionOf('PostConnection', PostRef);

queryOne('post', {
  type: PostRef,
  description: 'A post with its results.',
  scope: 'posts:read',
  what: 'post',
  get: getPost,
});

queryPages('posts', {
  type: PostConnection,
  description: 'The posts, newest first.',
  scope: 'posts:read',
  schema: ListPosts,
  filters: builder.args((t) => ({
    status: t.field({ type: PostStatusRef }),
    platform: t.field({ type: PlatformRef }),
    socialAccountId: t.id(),
    externalUserId: t.string(),
    from: t.field({ type: 'DateTime' }),
    to: t.field({ type: 'DateTime', description: 'Up to, not including, this.' }),
  })),
  list: listPosts,
});

const PostUpdate = builder.objectRef<ShownUpdate<Post>>('PostUpdate').implement({
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Where to go on: give it as `after`.' }),
    change: t.exposeString('change', {
      description:
        'What happened, such as `created` or `result.published`. `present`: nothing, this is how it stands.',
    }),
    id: t.exposeID('id', { description: 'Of the post, also when it is gone.' }),
    post: t.field({
      type: PostRef,
      nullable: true,
      description: 'The post when this was sent. Null: it is gone.',
      resolve: (update) => update.subject,
    }),
  }),
});

builder.subscriptionField('postUpdated', (t) =>
  t.field({
    type: PostUpdate,
    nullable: true,
    description: `Every change of the project's posts, or of one post. With an id and without \`after\`
the first message is the present state, so that creating and then subscribing misses nothing.`,
    complexity: operationCost,
    args: {
      id: t.arg.id({ description: 'Only this post.' }),
      after: t.arg.string({
        description: 'A `cursor` of an earlier message: every change since comes first.',
      }),
    },
    subscribe: (_, { id, after }, graphql) =>
      openUpdates<Post>(graphql, {
        scope: 'posts:read',
        filter: { subject: 'post', subjectId: id ?? undefined },
        after,
        readSubject: graphql.subjects.post,
        ...(id === null || id === undefined
          ? {}
          : { getPresent: (context, caller) => getPost(context, caller, readId('post', id)) }),
      }),
    resolve: showUpdate,
  }),
);
