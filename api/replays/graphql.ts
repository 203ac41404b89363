// Replays, in GraphQL. A replay names its webhook, so both sides of this link are here.
import { useInstead } from '../../schema/wire/deprecations.ts';
import { listQuery } from '../../schema/wire/listing.ts';
import {
  ReplayDeliveries,
  ReplayedStatus,
  ReplayStatus,
  type AcceptedReplay,
  type Replay,
} from '../../schema/replays.ts';
import { builder } from '../graphql/builder.ts';
import { connectionOf, toIdCursor } from '../graphql/connections.ts';
import { linkOne, linkPages } from '../graphql/links.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId } from '../graphql/operation.ts';
import { queryOne, queryPagesOfWebhook } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import { webhookNodes, WebhookRef } from '../webhooks/graphql.ts';
import { getWebhook } from '../webhooks/operations.ts';
import {
  findReplays,
  findRunning,
  getReplay,
  listReplays,
  listReplaysOf,
  replayDeliveries,
} from './operations.ts';

const ReplayStatusRef = wordEnum(ReplayStatus);
const ReplayedStatusRef = wordEnum(ReplayedStatus);

const replayNodes = nodesOf('webhooks:read', findReplays);

const ReplayRef = builder.objectRef<Replay>('Replay');

builder.node(ReplayRef, {
  ...replayNodes.options,
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id'),
    status: t.expose('status', { type: ReplayStatusRef }),
    from: t.expose('from', { type: 'DateTime' }),
    to: t.expose('to', { type: 'DateTime' }),
    since: t.expose('since', { type: 'DateTime', deprecationReason: useInstead('from', '0.2') }),
    until: t.expose('until', { type: 'DateTime', deprecationReason: useInstead('to', '0.2') }),
    statusFilter: t.expose('status_filter', { type: [ReplayedStatusRef] }),
    matched: t.exposeInt('matched'),
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

const ReplayConnection = connectionOf('ReplayConnection', ReplayRef);

const ReplayPayload = builder.objectRef<AcceptedReplay>('ReplayPayload').implement({
  fields: (t) => ({
    replayId: t.exposeID('replay_id'),
    matched: t.exposeInt('matched'),
  }),
});

linkOne(ReplayPayload, 'replay', {
  type: ReplayRef,
  description: 'The replay.',
  load: replayNodes.load,
  idOf: ({ replay_id }) => replay_id,
});

const ReplayDeliveriesInput = builder.inputType('ReplayDeliveriesInput', {
  fields: (t) => ({
    from: t.field({ type: 'DateTime' }),
    to: t.field({ type: 'DateTime' }),
    since: t.field({ type: 'DateTime', deprecationReason: useInstead('from', '0.2') }),
    until: t.field({ type: 'DateTime', deprecationReason: useInstead('to', '0.2') }),
    status: t.field({ type: [ReplayedStatusRef] }),
  }),
});

queryOne('replay', {
  type: ReplayRef,
  scope: 'webhooks:read',
  resource: 'replay',
  get: getReplay,
});

queryPagesOfWebhook('replays', {
  type: ReplayConnection,
  scope: 'webhooks:read',
  schema: listQuery({}),
  list: listReplays,
});

mutationOf('replayDeliveries', {
  type: ReplayPayload,
  scope: 'webhooks:write',
  args: builder.args((t) => ({
    webhookId: t.id({ required: true, description: 'ID of the webhook.' }),
  })),
  input: ReplayDeliveriesInput,
  schema: ReplayDeliveries,
  takesKey: true,
  run: (context, caller, input, { args }) =>
    replayDeliveries(context, caller, readId('webhook', args.webhookId), input),
});

linkOne(ReplayRef, 'webhook', {
  type: WebhookRef,
  load: webhookNodes.load,
  description: 'Webhook that the replay sends to. Null if it was deleted.',
  idOf: (replay) => replay.webhook_id,
});

linkPages(WebhookRef, 'replays', {
  type: ReplayConnection,
  description: 'Replays of the webhook, newest first.',
  scope: 'webhooks:read',
  schema: listQuery({}),
  listMany: listReplaysOf,
  toNodeCursor: toIdCursor,
});

subscriptionOf('replayProgress', {
  description:
    "Progress of the project's replays, of the replays of one webhook, or of one replay. With `id` and without `after`, the first message is the current state of that replay. With `webhookId` and without `after`, it is the current state of the running replay, if there is one.",
  subject: 'replay',
  type: ReplayRef,
  scope: 'webhooks:read',
  get: getReplay,
  find: findReplays,
  filters: builder.args((t) => ({
    webhookId: t.id({ description: 'Only replays of this webhook.' }),
  })),
  match: ({ webhookId }) => ({ webhook_id: webhookId }),
  named: ({ webhookId }) => [
    { scope: 'webhooks:read', subject: 'webhook', id: webhookId, get: getWebhook },
  ],
  present: ({ webhookId }) =>
    typeof webhookId === 'string'
      ? (context, caller) => findRunning(context, caller, webhookId)
      : undefined,
});
