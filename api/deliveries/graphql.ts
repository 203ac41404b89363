// Deliveries and their attempts, in GraphQL: queries and the retry.
import {
  attemptTriggers,
  deliveryStatuses,
  deliveryTriggers,
  ListDeliveries,
  type Delivery,
  type DeliveryAttempt,
  type RetriedDelivery,
  type Timings,
} from '../../schema/deliveries.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { EventTypeRef } from '../events/graphql.ts';
import { inBatches } from '../graphql/batches.ts';
import { connectionOf } from '../graphql/connections.ts';
import { requireCaller } from '../graphql/context.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId, write } from '../graphql/operation.ts';
import { queryOne, queryPagesOfWebhook } from '../graphql/queries.ts';
import { idArguments, idempotencyArguments, noInput, wordEnum } from '../graphql/shapes.ts';
import {
  findDeliveries,
  findDeliveryAttempts,
  getDelivery,
  listDeliveries,
  retryDelivery,
} from './operations.ts';

export const DeliveryStatusRef = wordEnum('DeliveryStatus', deliveryStatuses);
const DeliveryTriggerRef = wordEnum('DeliveryTrigger', deliveryTriggers);
const AttemptTriggerRef = wordEnum('AttemptTrigger', attemptTriggers);

const TimingsRef = builder.objectRef<Timings>('Timings').implement({
  fields: (t) => ({
    dnsMs: t.exposeFloat('dns_ms', { nullable: true }),
    connectMs: t.exposeFloat('connect_ms', { nullable: true }),
    tlsMs: t.exposeFloat('tls_ms', { nullable: true }),
    firstByteMs: t.exposeFloat('first_byte_ms', { nullable: true }),
    totalMs: t.exposeFloat('total_ms'),
  }),
});

const DeliveryAttemptRef = builder.objectRef<DeliveryAttempt>('DeliveryAttempt').implement({
  description: 'One request to the receiver.',
  fields: (t) => ({
    number: t.exposeInt('number'),
    trigger: t.expose('trigger', { type: AttemptTriggerRef }),
    startedAt: t.expose('started_at', { type: 'DateTime' }),
    timings: t.field({ type: TimingsRef, resolve: (attempt) => attempt.timings }),
    remoteAddress: t.exposeString('remote_address', { nullable: true }),
    statusCode: t.exposeInt('status_code', { nullable: true }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    requestHeaders: t.expose('request_headers', { type: 'JSON' }),
    responseHeaders: t.expose('response_headers', { type: 'JSON', nullable: true }),
    responseBody: t.exposeString('response_body', { nullable: true }),
    nextAttemptAt: t.expose('next_attempt_at', { type: 'DateTime', nullable: true }),
  }),
});

export const DeliveryRef = builder.objectRef<Delivery>('Delivery');

const loadAttempts = inBatches((graphql, ids) => findDeliveryAttempts(graphql.app, ids));

builder.node(DeliveryRef, {
  ...nodesOf('webhooks:read', findDeliveries).options,
  description: 'One event on its way to one webhook.',
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id'),
    eventId: t.exposeID('event_id'),
    postId: t.exposeID('post_id', {
      nullable: true,
      description: 'The post that the event is about, where it is about one.',
    }),
    event: t.expose('event', { type: EventTypeRef }),
    url: t.exposeString('url'),
    status: t.expose('status', { type: DeliveryStatusRef }),
    trigger: t.expose('trigger', { type: DeliveryTriggerRef }),
    attemptCount: t.exposeInt('attempt_count'),
    nextAttemptAt: t.expose('next_attempt_at', { type: 'DateTime', nullable: true }),
    lastStatusCode: t.exposeInt('last_status_code', { nullable: true }),
    lastErrorCode: t.exposeString('last_error_code', { nullable: true }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    deliveredAt: t.expose('delivered_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the receiver took it last; stays while a replay sends it again.',
    }),
    workflowId: t.exposeString('workflow_id', {
      nullable: true,
      description: 'The workflow that carries it, once one does.',
    }),
    attempts: t.field({
      type: [DeliveryAttemptRef],
      nullable: true,
      description: 'What was sent and answered.',
      complexity: 5,
      resolve: async ({ id, attempt_count }, _args, graphql) => {
        requireCaller(graphql, 'webhooks:read');
        const attempts = (await loadAttempts(graphql, id)) ?? [];
        // One that was recorded after the delivery was read belongs to a later state.
        return attempts.filter(({ number }) => number <= attempt_count);
      },
    }),
  }),
});

export const DeliveryConnection = connectionOf('DeliveryConnection', DeliveryRef);

export const deliveryFilters = builder.args((t) => ({
  status: t.field({ type: DeliveryStatusRef }),
  event: t.field({ type: EventTypeRef }),
  since: t.field({ type: 'DateTime' }),
  until: t.field({ type: 'DateTime', description: 'Up to, not including, this.' }),
}));

queryOne('delivery', {
  type: DeliveryRef,
  description: 'A delivery with its attempts.',
  scope: 'webhooks:read',
  what: 'delivery',
  get: getDelivery,
});

queryPagesOfWebhook('deliveries', {
  type: DeliveryConnection,
  description: 'The deliveries of a webhook, newest first.',
  scope: 'webhooks:read',
  schema: ListDeliveries,
  filters: deliveryFilters,
  list: listDeliveries,
});

const RetryDeliveryPayload = builder.objectRef<RetriedDelivery>('RetryDeliveryPayload').implement({
  fields: (t) => ({
    delivery: t.field({ type: DeliveryRef, resolve: (delivery) => delivery }),
    notice: t.exposeString('notice', {
      nullable: true,
      description:
        'What to know about this attempt, such as that the receiver gets the event again.',
    }),
  }),
});

builder.mutationField('retryDelivery', (t) =>
  t.field({
    type: RetryDeliveryPayload,
    nullable: true,
    description: 'Attempts a delivery once more now. Its schedule stays as it is.',
    complexity: operationCost,
    args: { ...idArguments, ...idempotencyArguments },
    resolve: (_, args, graphql, info) =>
      write(graphql, { scope: 'webhooks:write', schema: noInput, args, info }, (context, caller) =>
        retryDelivery(context, caller, readId('delivery', args.id)),
      ),
  }),
);
