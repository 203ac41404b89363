// Where the live streams stand, in GraphQL.
import { builder, operationCost } from '../graphql/builder.ts';
import { read } from '../graphql/operation.ts';

builder.queryField('liveCursor', (t) =>
  t.string({
    nullable: true,
    description: `Where the live streams stand now: whatever happens later comes \`after\` it.
For a client that must miss nothing even before its first message.`,
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, async ({ feed }) => {
        const { cursor } = await feed.readPresent(() => Promise.resolve());
        return cursor;
      }),
  }),
);
