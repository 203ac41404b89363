// Whatever has an id of its own, by that id alone: Relay's `node` and `nodes`.
import { resolveNodes } from '@pothos/plugin-relay';
import type { GraphQLResolveInfo } from 'graphql';
import { validationError } from '../../schema/wire/errors.ts';
import { maxPageSize } from '../../schema/wire/listing.ts';
import { builder, operationCost } from './builder.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { typenameOfId } from './ids.ts';
import { idArguments } from './shapes.ts';

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'What has this id. Null: nothing in this project.',
    complexity: operationCost,
    args: idArguments,
    resolve: async (_, { id }, graphql, info) => {
      const [node] = await findNodes(graphql, info, [id]);
      return node;
    },
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description: 'What has these ids, in their order; null in the place of one that names nothing.',
    complexity: ({ ids }) => ({ field: operationCost, multiplier: ids.length }),
    args: { ids: t.arg.idList({ required: true, description: `At most ${maxPageSize}.` }) },
    resolve: (_, { ids }, graphql, info) => {
      if (ids.length > maxPageSize) {
        const message = `must have at most ${maxPageSize} members`;
        const [actual, limit] = [ids.length, maxPageSize];
        throw validationError([{ path: 'ids', code: 'too_big', message, actual, limit }]);
      }
      return findNodes(graphql, info, ids) as Promise<object[]>;
    },
  }),
}));

/** Each type asks for its scope; a fault of one is shown in its place. */
async function findNodes(graphql: GraphqlContext, info: GraphQLResolveInfo, ids: string[]) {
  requireCaller(graphql);
  const named = ids.map((id) => {
    const typename = typenameOfId(id);
    return typename === undefined ? null : { typename, id };
  });
  return resolveNodes(builder, graphql, info, named);
}
