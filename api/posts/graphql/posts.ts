// Reading posts, in GraphQL.
import { ListPosts } from '../../../schema/posts/posts.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionOf } from '../../graphql/connections.ts';
import { queryOne, queryPages } from '../../graphql/queries.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { getPost, listPosts } from '../read-posts.ts';
import { PostRef, PostStatusRef } from './shapes.ts';

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
