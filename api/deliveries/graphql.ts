// Deliveries and their attempts, in GraphQL. A delivery names its webhook, event and post, so both sides
// of these links are here.
import {
  AttemptTrigger,
  DeliveryStatus,
  DeliveryTrigger,
  ListDeliveries,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryCount,
  type RetriedDelivery,
  type Timings,
} from '../../schema/deliveries.ts';
import { useInstead } from '../../schema/wire/deprecations.ts';
import { TestWebhook } from '../../schema/webhooks.ts';
import { builder } from '../graphql/builder.ts';
import { eventNodes, EventRef, EventTypeRef } from '../events/graphql.ts';
import { inBatches } from '../graphql/batches.ts';
import { connectionOf, toIdCursor } from '../graphql/connections.ts';
import { requireCaller } from '../graphql/context.ts';
import { linkOne, linkPages } from '../graphql/links.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { queryCounts, queryOne, queryPagesOfWebhook } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import { postNodes, PostRef } from '../posts/graphql/shapes.ts';
import { getPost } from '../posts/read-posts.ts';
import { webhookNodes, WebhookRef } from '../webhooks/graphql.ts';
import { getWebhook } from '../webhooks/operations.ts';
import {
  findDeliveries,
  findDeliveryAttempts,
  getDelivery,
  listAllDeliveries,
  listDeliveries,
  listDeliveriesOf,
  listDeliveryCounts,
  retryDelivery,
  testWebhook,
} from './operations.ts';

const DeliveryStatusRef = wordEnum(DeliveryStatus);
const DeliveryTriggerRef = wordEnum(DeliveryTrigger);
const AttemptTriggerRef = wordEnum(AttemptTrigger);

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
  fields: (t) => ({
    number: t.exposeInt('number'),
    trigger: t.expose('trigger', { type: AttemptTriggerRef }),
    startedAt: t.expose('started_at', { type: 'DateTime' }),
    timings: t.expose('timings', { type: TimingsRef }),
    remoteAddress: t.exposeString('remote_address', { nullable: true }),
    statusCode: t.exposeInt('status_code', { nullable: true }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    requestHeaders: t.expose('request_headers', { type: 'JSON' }),
    responseHeaders: t.expose('response_headers', { type: 'JSON', nullable: true }),
    responseBody: t.exposeString('response_body', { nullable: true }),
    nextAttemptAt: t.expose('next_attempt_at', { type: 'DateTime', nullable: true }),
  }),
});

const DeliveryRef = builder.objectRef<Delivery>('Delivery');

const loadAttempts = inBatches((graphql, ids) =>
  findDeliveryAttempts(graphql.app, requireCaller(graphql), ids),
);

builder.node(DeliveryRef, {
  ...nodesOf('webhooks:read', findDeliveries).options,
  fields: (t) => ({
    webhookId: t.exposeID('webhook_id'),
    eventId: t.exposeID('event_id'),
    postId: t.exposeID('post_id', { nullable: true }),
    event: t.expose('event', { type: EventTypeRef }),
    url: t.exposeString('url'),
    status: t.expose('status', { type: DeliveryStatusRef }),
    trigger: t.expose('trigger', { type: DeliveryTriggerRef }),
    attemptCount: t.exposeInt('attempt_count'),
    nextAttemptAt: t.expose('next_attempt_at', { type: 'DateTime', nullable: true }),
    lastStatusCode: t.exposeInt('last_status_code', { nullable: true }),
    lastErrorCode: t.exposeString('last_error_code', { nullable: true }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    deliveredAt: t.expose('delivered_at', { type: 'DateTime', nullable: true }),
    workflowId: t.exposeString('workflow_id', { nullable: true }),
    attempts: t.field({
      type: [DeliveryAttemptRef],
      nullable: true,
      description: 'Attempts, oldest first.',
      complexity: 5,
      resolve: async ({ id, attempt_count }, _args, graphql) => {
        requireCaller(graphql, 'webhooks:read');
        const attempts = (await loadAttempts(graphql, id)) ?? [];
        // Leaves out attempts that were recorded after the delivery was read.
        return attempts.filter(({ number }) => number <= attempt_count);
      },
    }),
  }),
});

const DeliveryConnection = connectionOf('DeliveryConnection', DeliveryRef);

const deliveryFilters = builder.args((t) => ({
  status: t.field({ type: DeliveryStatusRef }),
  event: t.field({ type: EventTypeRef }),
  from: t.field({ type: 'DateTime' }),
  to: t.field({ type: 'DateTime' }),
  since: t.field({ type: 'DateTime', deprecationReason: useInstead('from', '0.2') }),
  until: t.field({ type: 'DateTime', deprecationReason: useInstead('to', '0.2') }),
}));

queryOne('delivery', {
  type: DeliveryRef,
  scope: 'webhooks:read',
  resource: 'delivery',
  get: getDelivery,
});

queryPagesOfWebhook('deliveries', {
  type: DeliveryConnection,
  scope: 'webhooks:read',
  schema: ListDeliveries,
  filters: deliveryFilters,
  list: listDeliveries,
  listAll: listAllDeliveries,
});

const DeliveryCountRef = builder.objectRef<DeliveryCount>('DeliveryCount').implement({
  fields: (t) => ({
    date: t.exposeString('date'),
    status: t.expose('status', { type: DeliveryStatusRef }),
    count: t.exposeInt('count'),
  }),
});

queryCounts('deliveryCounts', {
  type: DeliveryCountRef,
  scope: 'webhooks:read',
  count: listDeliveryCounts,
});

const RetryDeliveryPayload = builder.objectRef<RetriedDelivery>('RetryDeliveryPayload').implement({
  fields: (t) => ({
    delivery: t.field({
      type: DeliveryRef,
      description: 'The delivery.',
      resolve: (delivery) => delivery,
    }),
    notice: t.exposeString('notice', { nullable: true }),
  }),
});

mutationOf('retryDelivery', {
  type: RetryDeliveryPayload,
  scope: 'webhooks:write',
  resource: 'delivery',
  takesKey: true,
  run: (context, caller, _, { id }) => retryDelivery(context, caller, id),
});

const TestWebhookInput = builder.inputType('TestWebhookInput', {
  fields: (t) => ({
    event: t.field({ type: EventTypeRef }),
  }),
});

mutationOf('testWebhook', {
  type: DeliveryRef,
  scope: 'webhooks:write',
  resource: 'webhook',
  input: TestWebhookInput,
  isInputOptional: true,
  schema: TestWebhook,
  takesKey: true,
  run: (context, caller, input, { id }) => testWebhook(context, caller, id, input),
});

linkOne(DeliveryRef, 'webhook', {
  type: WebhookRef,
  load: webhookNodes.load,
  description: 'Webhook that the event is sent to. Null if it was deleted.',
  idOf: (delivery) => delivery.webhook_id,
});

linkOne(DeliveryRef, 'recordedEvent', {
  type: EventRef,
  load: eventNodes.load,
  description: 'Event that is sent. Null if it is no longer kept.',
  idOf: (delivery) => delivery.event_id,
});

linkOne(DeliveryRef, 'post', {
  type: PostRef,
  load: postNodes.load,
  description:
    'Post that the event is about, in its current state. Null if there is none or it was deleted.',
  idOf: (delivery) => delivery.post_id,
});

const pages = {
  type: DeliveryConnection,
  scope: 'webhooks:read',
  schema: ListDeliveries,
  filters: deliveryFilters,
  toNodeCursor: toIdCursor,
} as const;

linkPages(WebhookRef, 'deliveries', {
  ...pages,
  description: 'Deliveries to the webhook, newest first.',
  listMany: listDeliveriesOf('webhook'),
});

linkPages(EventRef, 'deliveries', {
  ...pages,
  description: 'Deliveries of the event, one per webhook, newest first.',
  listMany: listDeliveriesOf('event'),
});

linkPages(PostRef, 'deliveries', {
  ...pages,
  description: 'Deliveries of events about the post, newest first.',
  listMany: listDeliveriesOf('post'),
});

subscriptionOf('deliveryUpdated', {
  description:
    "Changes of the project's deliveries that match all filters. With `id` and without `after`, the first message is the current state, if it matches.",
  subject: 'delivery',
  type: DeliveryRef,
  scope: 'webhooks:read',
  get: getDelivery,
  find: findDeliveries,
  filters: builder.args((t) => ({
    webhookId: t.id({ description: 'Only deliveries to this webhook.' }),
    postId: t.id({ description: 'Only deliveries of events about this post.' }),
    status: t.field({
      type: DeliveryStatusRef,
      description: 'Only deliveries that have this status when the message is sent.',
    }),
  })),
  match: ({ webhookId, postId, status }) => ({
    webhook_id: webhookId,
    post_id: postId,
    status,
  }),
  named: ({ webhookId, postId }) => [
    { scope: 'webhooks:read', subject: 'webhook', id: webhookId, get: getWebhook },
    { scope: 'posts:read', subject: 'post', id: postId, get: getPost },
  ],
});
