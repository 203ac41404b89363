// Webhooks, in GraphQL.
import { listQuery } from '../../schema/wire/listing.ts';
import {
  CreateWebhook,
  disabledReasons,
  RotateWebhook,
  UpdateWebhook,
  webhookStatuses,
  type Webhook,
  type WebhookWithSecret,
} from '../../schema/webhooks.ts';
import { KeyEnvironmentRef } from '../api-keys/graphql.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { EventTypeRef } from '../events/graphql.ts';
import { connectionOf } from '../graphql/connections.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { readId, write } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { idArguments, idempotencyArguments, noInput, wordEnum } from '../graphql/shapes.ts';
import {
  createWebhook,
  deleteWebhook,
  findWebhooks,
  getWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from './operations.ts';

const WebhookStatusRef = wordEnum('WebhookStatus', webhookStatuses);
const DisabledReasonRef = wordEnum('DisabledReason', disabledReasons);

export const WebhookRef = builder.objectRef<Webhook>('Webhook');
export const webhookNodes = nodesOf('webhooks:read', findWebhooks);

builder.node(WebhookRef, {
  ...webhookNodes.options,
  description: 'A subscription of a receiver to events.',
  fields: (t) => ({
    environment: t.expose('environment', { type: KeyEnvironmentRef }),
    name: t.exposeString('name', { nullable: true }),
    url: t.exposeString('url'),
    events: t.expose('events', { type: [EventTypeRef] }),
    status: t.expose('status', { type: WebhookStatusRef }),
    active: t.exposeBoolean('active'),
    disabledReason: t.expose('disabled_reason', { type: DisabledReasonRef, nullable: true }),
    disabledAt: t.expose('disabled_at', { type: 'DateTime', nullable: true }),
    failingSince: t.expose('failing_since', {
      type: 'DateTime',
      nullable: true,
      description: 'A warning: attempts have failed since then, and none has succeeded.',
    }),
    consecutiveFailures: t.exposeInt('consecutive_failures', {
      description: 'Events in a row that have failed for good, up to 100.',
    }),
    lastDeliveryAt: t.expose('last_delivery_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When an event was last delivered, not counting tests and manual retries.',
    }),
    secretPreview: t.exposeString('secret_preview'),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
  }),
});

const WebhookSecretPayload = builder
  .objectRef<WebhookWithSecret>('WebhookSecretPayload')
  .implement({
    fields: (t) => ({
      webhook: t.field({ type: WebhookRef, resolve: (webhook) => webhook }),
      secret: t.exposeString('secret', {
        description: 'The signing secret. Shown only in this answer.',
      }),
    }),
  });

const WebhookConnection = connectionOf('WebhookConnection', WebhookRef);

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  fields: (t) => ({
    url: t.string({ required: true, description: 'Absolute, https.' }),
    events: t.field({ type: [EventTypeRef], description: 'Default: every live kind.' }),
    name: t.string(),
    active: t.boolean({ description: 'Default: true.' }),
  }),
});

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  fields: (t) => ({
    url: t.string(),
    events: t.field({ type: [EventTypeRef] }),
    name: t.string({ description: 'Null: none.' }),
    active: t.boolean({
      description: '`true` enables a disabled webhook and clears its failure count.',
    }),
  }),
});

const RotateWebhookInput = builder.inputType('RotateWebhookInput', {
  fields: (t) => ({
    overlapSeconds: t.int({
      description: 'How long `webhook-signature` carries the previous secret too. Default: 0.',
    }),
  }),
});

queryOne('webhook', {
  type: WebhookRef,
  description: 'A webhook and its status.',
  scope: 'webhooks:read',
  what: 'webhook',
  get: getWebhook,
});

queryPages('webhooks', {
  type: WebhookConnection,
  description: 'The webhooks, newest first.',
  scope: 'webhooks:read',
  schema: listQuery({}),
  list: listWebhooks,
});

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookSecretPayload,
    nullable: true,
    description: 'Registers a URL that receives events.',
    complexity: operationCost,
    args: {
      input: t.arg({ type: CreateWebhookInput, required: true }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(graphql, { scope: 'webhooks:write', schema: CreateWebhook, args, info }, createWebhook),
  }),
  updateWebhook: t.field({
    type: WebhookRef,
    nullable: true,
    description: 'Changes a webhook, disables it or enables it again.',
    complexity: operationCost,
    args: {
      ...idArguments,
      input: t.arg({ type: UpdateWebhookInput, required: true }),
    },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'webhooks:write', schema: UpdateWebhook, args, info },
        (context, caller, changes) =>
          updateWebhook(context, caller, readId('webhook', args.id), changes),
      ),
  }),
  rotateWebhook: t.field({
    type: WebhookSecretPayload,
    nullable: true,
    description: 'Replaces the signing secret.',
    complexity: operationCost,
    args: {
      ...idArguments,
      input: t.arg({ type: RotateWebhookInput }),
      ...idempotencyArguments,
    },
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'webhooks:write', schema: RotateWebhook, args, info },
        (context, caller, input) =>
          rotateWebhook(context, caller, readId('webhook', args.id), input),
      ),
  }),
  deleteWebhook: t.field({
    type: 'ID',
    nullable: true,
    description: 'Deletes a webhook and cancels what waits for it. Answers its id.',
    complexity: operationCost,
    args: idArguments,
    resolve: (_, args, graphql, info) =>
      write(
        graphql,
        { scope: 'webhooks:write', schema: noInput, args, info },
        async (context, caller) => {
          const { status } = await deleteWebhook(context, caller, readId('webhook', args.id));
          return { status, data: args.id };
        },
      ),
  }),
}));
