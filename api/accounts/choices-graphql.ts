// The choices of an account, in GraphQL.
import type { z } from 'zod';
import {
  Choice,
  choiceListMembers,
  ListChoices,
  type ChoiceListMembers,
} from '../../schema/choices.ts';
import { builder } from '../graphql/builder.ts';
import {
  connectionOf,
  pageArguments,
  pageCost,
  toConnection,
  type Connection,
  type Ref,
} from '../graphql/connections.ts';
import { list, readId } from '../graphql/operation.ts';
import { readWithinLimit } from '../graphql/response-limit.ts';
import { listPlacedChoices, toChoiceCursor, type PlacedChoice } from './choices.ts';

/**
 * Returns the description of a wire field. Needed where the GraphQL field has another name, so that GraphQL
 * doesn't find the description itself.
 */
const descriptionOf = (field: z.ZodType): string => field.meta()!.description!;

/**
 * A choice has no field `id`. Its ID is unique only for its account and kind, but caches tell objects apart
 * by `id`.
 */
const ChoiceRef = builder.objectRef<PlacedChoice>('Choice').implement({
  fields: (t) => ({
    choiceId: t.exposeString('id', { description: descriptionOf(Choice.shape.id) }),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    url: t.exposeString('url', { nullable: true }),
    imageUrl: t.exposeString('image_url', { nullable: true }),
    parentId: t.exposeString('parent_id', {
      nullable: true,
      description: '`choiceId` of the choice above it. Null if there is none.',
    }),
    disabledReason: t.exposeString('disabled_reason', { nullable: true }),
  }),
});

interface ChoiceList extends Connection<PlacedChoice>, ChoiceListMembers {}

const ChoiceConnection = connectionOf(
  'ChoiceConnection',
  ChoiceRef,
) as Ref<unknown> as Ref<ChoiceList>;

builder.objectFields(ChoiceConnection, (t) => ({
  fetchedAt: t.expose('fetched_at', {
    type: 'DateTime',
    description: descriptionOf(choiceListMembers.fetched_at),
  }),
  isComplete: t.exposeBoolean('is_complete', {
    description: descriptionOf(choiceListMembers.is_complete),
  }),
}));

builder.queryField('accountChoices', (t) =>
  t.field({
    type: ChoiceConnection,
    nullable: true,
    complexity: pageCost,
    extensions: { query: ListChoices },
    args: {
      accountId: t.arg.id({ required: true, description: 'ID of the account.' }),
      kind: t.arg.string({
        required: true,
        description: "Kind of the choices: one of `choices` in the account's capabilities.",
      }),
      ...pageArguments,
      parentId: t.arg.string(),
      q: t.arg.string(),
      refresh: t.arg.boolean(),
    },
    resolve: async (_, { accountId, kind, ...args }, graphql) => {
      const page = await list(
        graphql,
        'accounts:read',
        ListChoices,
        args,
        (context, caller, query) =>
          readWithinLimit(graphql, () => {
            const key = { accountId: readId('account', accountId), kind };
            return listPlacedChoices(context, caller, key, query);
          }),
      );
      const { fetched_at, is_complete } = page;
      return { ...toConnection(page, args.after, toChoiceCursor), fetched_at, is_complete };
    },
  }),
);
