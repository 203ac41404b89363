// Replays, in GraphQL.
import { listQuery } from '../../schema/wire/listing.ts';
import {
  matchedDocs,
  ReplayDeliveries,
  replayedStatuses,
  replayFieldDocs,
  replayStatuses,
  type AcceptedReplay,
  type Replay,
} from '../../schema/replays.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { linkOne } from '../graphql/links.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId, write } from '../graphql/operation.ts';
import { queryOne, queryPagesOfWebhook } from '../graphql/queries.ts';
import { idempotencyArguments, wordEnum } from '../graphql/shapes.ts';
import { findReplays, getReplay, listReplays, replayDeliveries } from './operations.ts';

const ReplayStatusRef = wordEnum('ReplayStatus', replayStatuses, {
  canceled: 'The webhook was deleted meanwhile.',
});
const ReplayedStatusRef = wordEnum('ReplayedStatus', replayedStatuses, {
  missing: 'Events that this webhook has no delivery of.',
});

const replayNodes = nodesOf('webhooks:read', findReplays);

export const ReplayRef = builder.objectRef<Replay>('Replay');

builder.node(ReplayRef, {
  ...replayNodes.options,
  description: "Deliveries of a webhook's past, sent again.",
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id'),
    status: t.expose('status', { type: ReplayStatusRef }),
    since: t.expose('since', { type: 'DateTime' }),
    until: t.expose('until', { type: 'DateTime' }),
    statusFilter: t.expose('status_filter', { type: [ReplayedStatusRef] }),
    matched: t.exposeInt('matched', { description: matchedDocs.progress }),
    reopened: t.exposeInt('reopened'),
    pending: t.exposeInt('pending'),
    delivered: t.exposeInt('delivered'),
    failed: t.exposeInt('failed'),
    skipped: t.exposeInt('skipped'),
    canceled: t.exposeInt('canceled'),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    concludedAt: t.expose('concluded_at', { type: 'DateTime', nullable: true }),
  }),
});

export const ReplayConnection = connectionOf('ReplayConnection', ReplayRef);

const ReplayPayload = builder.objectRef<AcceptedReplay>('ReplayPayload').implement({
  fields: (t) => ({
    replayId: t.exposeID('replay_id'),
    matched: t.exposeInt('matched', { description: matchedDocs.accepted }),
  }),
});

linkOne(ReplayPayload, 'replay', {
  type: ReplayRef,
  description: 'The replay that was begun.',
  load: replayNodes.load,
  idOf: ({ replay_id }) => replay_id,
});

const ReplayDeliveriesInput = builder.inputType('ReplayDeliveriesInput', {
  fields: (t) => ({
    since: t.field({ type: 'DateTime', required: true, description: replayFieldDocs.since }),
    until: t.field({ type: 'DateTime', description: replayFieldDocs.until }),
    status: t.field({ type: [ReplayedStatusRef], description: replayFieldDocs.status }),
  }),
});

queryOne('replay', {
  type: ReplayRef,
  description: 'How far a replay has come.',
  scope: 'webhooks:read',
  what: 'replay',
  get: (context, caller, id) => getReplay(context, caller, id),
});

queryPagesOfWebhook('replays', {
  type: ReplayConnection,
  description: 'The replays of a webhook, newest first.',
  scope: 'webhooks:read',
  schema: listQuery({}),
  list: listReplays,
});

builder.mutationFields((t) => ({
  replayDeliveries: t.field({
    type: ReplayPayload,
    nullable: true,
    description: 'Sends the deliveries of a time again, each with a new schedule of attempts.',
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
