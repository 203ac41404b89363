// Reading posts, in GraphQL.
import { ListPosts } from '../../../schema/posts/posts.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionOf } from '../../graphql/connections.ts';
import { queryOne, queryPages } from '../../graphql/queries.ts';
import { subscriptionOf } from '../../graphql/subscriptions.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { findPosts, getPost, listPosts } from '../read-posts.ts';
import { PostRef, PostStatusRef } from './shapes.ts';

const PostConnection = connectionOf('PostConnection', PostRef);

queryOne('post', {
  type: PostRef,
  scope: 'posts:read',
  resource: 'post',
  get: getPost,
});

queryPages('posts', {
  type: PostConnection,
  scope: 'posts:read',
  schema: ListPosts,
  filters: builder.args((t) => ({
    status: t.field({ type: PostStatusRef }),
    platform: t.field({ type: PlatformRef }),
    socialAccountId: t.id(),
    externalUserId: t.string(),
    from: t.field({ type: 'DateTime' }),
    to: t.field({ type: 'DateTime' }),
  })),
  list: listPosts,
});

subscriptionOf('postUpdated', {
  description:
    "Changes of the project's posts, or of one post. With `id` and without `after`, the first message is the current state. A stream opened after `createPost` therefore misses nothing.",
  subject: 'post',
  type: PostRef,
  scope: 'posts:read',
  get: getPost,
  find: findPosts,
});
