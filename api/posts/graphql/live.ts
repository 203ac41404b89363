// The live stream of posts, in GraphQL.
import { builder, operationCost } from '../../graphql/builder.ts';
import { messageOf, resumeArguments } from '../../live/message-graphql.ts';
import { openUpdates } from '../../live/open-updates.ts';
import { showUpdate } from '../../live/updates.ts';
import { getPost } from '../read-posts.ts';
import { PostRef } from './shapes.ts';

const PostUpdate = messageOf('PostUpdate', {
  field: 'post',
  type: PostRef,
  gone: 'it is deleted',
});

builder.subscriptionField('postUpdated', (t) =>
  t.field({
    type: PostUpdate,
    nullable: true,
    description: `Every change of the project's posts, or of one. With an id and without \`after\` the
first message is the present state, so that creating and then subscribing misses nothing.`,
    complexity: operationCost,
    args: { id: t.arg.id({ description: 'Only this post.' }), ...resumeArguments },
    subscribe: (_, { id, after }, graphql) =>
      openUpdates(graphql, {
        scope: 'posts:read',
        subject: 'post',
        id,
        after,
        get: getPost,
        read: graphql.subjects.post,
      }),
    resolve: showUpdate,
  }),
);
