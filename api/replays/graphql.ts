// Replays, in GraphQL.
import { listQuery } from '../../schema/listing.ts';
import {
  matchedDocs,
  ReplayDeliveries,
  replayedStatuses,
  replayFieldDocs,
  replayStatuses,
  type AcceptedReplay,
  type Replay,
} from '../../schema/replays.ts';
import { builder, operationCost } from '../builder.ts';
import { list, read, readId, write } from '../graphql-operation.ts';
import {
  connectionOf,
  idArguments,
  idempotencyArguments,
  pageArguments,
  pageCost,
  toConnection,
  wordEnum,
} from '../graphql-shapes.ts';
import { getReplay, listReplays, replayDeliveries } from './operations.ts';

const ReplayStatusRef = wordEnum('ReplayStatus', replayStatuses, {
  canceled: 'The webhook was deleted meanwhile.',
});
const ReplayedStatusRef = wordEnum('ReplayedStatus', replayedStatuses, {
  missing: 'Events that this webhook has no delivery of.',
});

const ReplayRef = builder.objectRef<Replay>('Replay').implement({
  description: "Deliveries of a webhook's past, sent again.",
  fields: (t) => ({
    id: t.exposeID('id'),
    webhookId: t.exposeID('webhook_id'),
    status: t.expose('status', { type: ReplayStatusRef }),
    since: t.expose('since', { type: 'DateTime' }),
    until: t.expose('until', { type: 'DateTime' }),
    statusFilter: t.expose('status_filter', { type: [ReplayedStatusRef] }),
    matched: t.exposeInt('matched', { description: matchedDocs.progress }),
    reopened: t.exposeInt('reopened', {
      description: 'How many of them are on a new ladder by now.',
    }),
    pending: t.exposeInt('pending', { description: 'How many of those have not concluded.' }),
    delivered: t.exposeInt('delivered'),
    failed: t.exposeInt('failed'),
    skipped: t.exposeInt('skipped'),
    canceled: t.exposeInt('canceled'),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    concludedAt: t.expose('concluded_at', { type: 'DateTime', nullable: true }),
  }),
});

const ReplayConnection = connectionOf('ReplayConnection', ReplayRef);

const ReplayPayload = builder.objectRef<AcceptedReplay>('ReplayPayload').implement({
  fields: (t) => ({
    replayId: t.exposeID('replay_id'),
    matched: t.exposeInt('matched', { description: matchedDocs.accepted }),
  }),
});

const ReplayDeliveriesInput = builder.inputType('ReplayDeliveriesInput', {
  fields: (t) => ({
    since: t.field({ type: 'DateTime', required: true, description: replayFieldDocs.since }),
    until: t.field({ type: 'DateTime', description: replayFieldDocs.until }),
    status: t.field({ type: [ReplayedStatusRef], description: replayFieldDocs.status }),
  }),
});

builder.queryFields((t) => ({
  replay: t.field({
    type: ReplayRef,
    nullable: true,
    description: 'How far a replay has come.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, { id }, graphql) =>
      read(graphql, 'webhooks:read', (context, caller) =>
        getReplay(context, caller, readId('replay', id)),
      ),
  }),
  replays: t.field({
    type: ReplayConnection,
    nullable: true,
    description: 'The replays of a webhook, newest first.',
    complexity: pageCost,
    args: { webhookId: t.arg.id({ required: true }), ...pageArguments },
    resolve: async (_, { webhookId, ...args }, graphql) =>
      toConnection(
        await list(graphql, 'webhooks:read', listQuery({}), args, (context, caller, paging) =>
          listReplays(context, caller, readId('webhook', webhookId), paging),
        ),
      ),
  }),
}));

builder.mutationFields((t) => ({
  replayDeliveries: t.field({
    type: ReplayPayload,
    nullable: true,
    description: 'Sends the deliveries of a time again, each with a new ladder of attempts.',
    complexity: operationCost,
    args: {
      webhookId: t.arg.id({ required: true }),
      input: t.arg({ type: ReplayDeliveriesInput, required: true }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'webhooks:write', schema: ReplayDeliveries, args, info },
        (context, caller, input) =>
          replayDeliveries(context, caller, readId('webhook', args.webhookId), input),
      ),
  }),
}));
