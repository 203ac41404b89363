// The labels of posts, in GraphQL.
import { ListLabels, type Label } from '../../schema/posts/labels.ts';
import { builder } from '../graphql/builder.ts';
import { connectionOf, pageArguments, pageCost, toConnection } from '../graphql/connections.ts';
import { list } from '../graphql/operation.ts';
import { listLabels, toLabelCursor } from './operations.ts';

const LabelRef = builder.objectRef<Label>('Label').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    postCount: t.exposeInt('post_count'),
  }),
});

const LabelConnection = connectionOf('LabelConnection', LabelRef);

builder.queryField('labels', (t) =>
  t.field({
    type: LabelConnection,
    nullable: true,
    complexity: pageCost,
    extensions: { query: ListLabels },
    args: pageArguments,
    resolve: async (_, args, graphql) => {
      const page = await list(graphql, 'posts:read', ListLabels, args, listLabels);
      return toConnection(page, args.after, toLabelCursor);
    },
  }),
);
