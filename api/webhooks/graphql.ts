// Webhooks, in GraphQL.
import { listQuery } from '../../schema/wire/listing.ts';
import {
  CreateWebhook,
  DisabledReason,
  RotateWebhook,
  UpdateWebhook,
  WebhookStatus,
  type Webhook,
  type WebhookWithSecret,
} from '../../schema/webhooks.ts';
import { KeyEnvironmentRef } from '../api-keys/graphql.ts';
import { builder } from '../graphql/builder.ts';
import { EventTypeRef } from '../events/graphql.ts';
import { connectionOf } from '../graphql/connections.ts';
import { deleted, mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import {
  createWebhook,
  deleteWebhook,
  findWebhooks,
  getWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from './operations.ts';

const WebhookStatusRef = wordEnum(WebhookStatus);
const DisabledReasonRef = wordEnum(DisabledReason);

export const WebhookRef = builder.objectRef<Webhook>('Webhook');
export const webhookNodes = nodesOf('webhooks:read', findWebhooks);

builder.node(WebhookRef, {
  ...webhookNodes.options,
  fields: (t) => ({
    environment: t.expose('environment', { type: KeyEnvironmentRef }),
    name: t.exposeString('name', { nullable: true }),
    url: t.exposeString('url'),
    events: t.expose('events', { type: [EventTypeRef] }),
    status: t.expose('status', { type: WebhookStatusRef }),
    active: t.exposeBoolean('active'),
    disabledReason: t.expose('disabled_reason', { type: DisabledReasonRef, nullable: true }),
    disabledAt: t.expose('disabled_at', { type: 'DateTime', nullable: true }),
    failingSince: t.expose('failing_since', { type: 'DateTime', nullable: true }),
    consecutiveFailures: t.exposeInt('consecutive_failures'),
    lastDeliveryAt: t.expose('last_delivery_at', { type: 'DateTime', nullable: true }),
    secretPreview: t.exposeString('secret_preview'),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
  }),
});

const WebhookSecretPayload = builder
  .objectRef<WebhookWithSecret>('WebhookSecretPayload')
  .implement({
    fields: (t) => ({
      webhook: t.field({
        type: WebhookRef,
        description: 'The webhook.',
        resolve: (webhook) => webhook,
      }),
      secret: t.exposeString('secret'),
    }),
  });

const WebhookConnection = connectionOf('WebhookConnection', WebhookRef);

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  fields: (t) => ({
    url: t.string({ required: true }),
    events: t.field({ type: [EventTypeRef] }),
    name: t.string(),
    active: t.boolean(),
  }),
});

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  fields: (t) => ({
    url: t.string(),
    events: t.field({ type: [EventTypeRef] }),
    name: t.string(),
    active: t.boolean(),
  }),
});

const RotateWebhookInput = builder.inputType('RotateWebhookInput', {
  fields: (t) => ({
    overlapSeconds: t.int(),
  }),
});

queryOne('webhook', {
  type: WebhookRef,
  scope: 'webhooks:read',
  resource: 'webhook',
  get: getWebhook,
});

queryPages('webhooks', {
  type: WebhookConnection,
  scope: 'webhooks:read',
  schema: listQuery({}),
  list: listWebhooks,
});

mutationOf('createWebhook', {
  type: WebhookSecretPayload,
  scope: 'webhooks:write',
  input: CreateWebhookInput,
  schema: CreateWebhook,
  takesKey: true,
  run: createWebhook,
});

mutationOf('updateWebhook', {
  type: WebhookRef,
  scope: 'webhooks:write',
  resource: 'webhook',
  input: UpdateWebhookInput,
  schema: UpdateWebhook,
  takesKey: true,
  run: (context, caller, changes, { id }) => updateWebhook(context, caller, id, changes),
});

mutationOf('rotateWebhook', {
  type: WebhookSecretPayload,
  scope: 'webhooks:write',
  resource: 'webhook',
  input: RotateWebhookInput,
  isInputOptional: true,
  schema: RotateWebhook,
  takesKey: true,
  run: (context, caller, input, { id }) => rotateWebhook(context, caller, id, input),
});

mutationOf('deleteWebhook', {
  type: 'ID',
  scope: 'webhooks:write',
  resource: 'webhook',
  run: (context, caller, _, { id }) => deleted(deleteWebhook(context, caller, id), id),
});

subscriptionOf('webhookUpdated', {
  description:
    "Changes of the project's webhooks, or of one webhook. With `id` and without `after`, the first message is the current state.",
  subject: 'webhook',
  type: WebhookRef,
  scope: 'webhooks:read',
  get: getWebhook,
  find: findWebhooks,
});
