// Relay's `node` and `nodes`: any resource by its id alone.
import { resolveNodes } from '@pothos/plugin-relay';
import type { GraphQLResolveInfo } from 'graphql';
import { validationError } from '../../schema/wire/errors.ts';
import { idPrefixes, type IdKind } from '../../schema/wire/ids.ts';
import { maxPageSize } from '../../schema/wire/listing.ts';
import { builder, operationCost } from './builder.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import { idArguments } from './shapes.ts';

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'Get any resource by its ID. Null if the project has none with this ID.',
    complexity: operationCost,
    args: idArguments('node'),
    resolve: async (_, { id }, graphql, info) => {
      const [node] = await findNodes(graphql, info, [id]);
      return node;
    },
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description:
      'Get resources by their IDs, in the same order. Null for an ID that the project does not have.',
    complexity: ({ ids }) => ({ field: operationCost, multiplier: ids.length }),
    args: {
      ids: t.arg.idList({
        required: true,
        description: `IDs of the nodes, at most ${maxPageSize}.`,
      }),
    },
    resolve: (_, { ids }, graphql, info) => {
      if (ids.length > maxPageSize) {
        const message = `must have at most ${maxPageSize} items`;
        const [actual, limit] = [ids.length, maxPageSize];
        throw validationError([{ path: ['ids'], code: 'too_big', message, actual, limit }]);
      }
      return findNodes(graphql, info, ids) as Promise<object[]>;
    },
  }),
}));

/** Each type requires its own scope. An error of one node is shown in its place. */
async function findNodes(graphql: GraphqlContext, info: GraphQLResolveInfo, ids: string[]) {
  requireCaller(graphql);
  const named = ids.map((id) => {
    const typename = typenameOfId(id);
    return typename === undefined ? null : { typename, id };
  });
  return resolveNodes(builder, graphql, info, named);
}

const kindOf = {
  Account: 'account',
  AccountCheck: 'check',
  ApiKey: 'key',
  ConnectSession: 'connectSession',
  Delivery: 'delivery',
  Event: 'event',
  Media: 'media',
  Post: 'post',
  PostResult: 'result',
  Project: 'project',
  Queue: 'queue',
  Replay: 'replay',
  Webhook: 'webhook',
} as const satisfies Record<string, IdKind>;

const typenames = new Map<string, string>(
  Object.entries(kindOf).map(([typename, kind]) => [idPrefixes[kind], typename]),
);

/** The prefix of an id names its type. Undefined: no type has this prefix. */
function typenameOfId(id: string): string | undefined {
  return typenames.get(id.slice(0, Math.max(0, id.indexOf('_'))));
}
