// The messages that webhooks receive, in the OpenAPI document.
import { z } from 'zod';
import { eventBody, eventCatalogue, type EventType } from '../schema/event-types.ts';
import { json } from './openapi-responses.ts';

export const messageTag = 'webhook-messages';

const SignatureHeaders = z.object({
  'X-Service-Signature': z.string().meta({
    description:
      '`sha256=` and the HMAC-SHA-256 of the body in hex. The key is the whole signing secret as shown.',
  }),
  'X-Service-Event': z.string().meta({ description: 'Event type.' }),
  'X-Service-Delivery': z
    .string()
    .meta({ description: 'ID of the delivery, the same in every attempt.' }),
  'webhook-id': z
    .string()
    .meta({ description: 'ID of the message, as Standard Webhooks defines it.' }),
  'webhook-timestamp': z.string().meta({ description: 'Time of the attempt, in Unix seconds.' }),
  'webhook-signature': z.string().meta({
    description: 'Signature, as Standard Webhooks defines it.',
  }),
});

const responses = {
  '2XX': { description: 'Delivered. Fanfare retries after any other response.' },
  '4XX': { description: 'Not delivered.' },
};

/** `post.published` → `PostPublished` */
const nameOf = (type: EventType) =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The component of a message. `event` tells the messages apart. */
export const messageName = (type: EventType) => `${nameOf(type)}Message`;

export const describeMessage = (type: EventType) =>
  eventBody(type).meta({ description: eventCatalogue[type].meaning });

export const unionName = 'WebhookMessage';

/**
 * The messages again, as callbacks of the creation of a webhook. Generators that keep only the schemas of
 * paths then keep these schemas too.
 */
export const messageCallbacks = {
  message: {
    '{$request.body#/url}': {
      post: {
        operationId: 'receiveMessage',
        summary: 'Receive a message of any type.',
        tags: [messageTag],
        security: [],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: `#/components/schemas/${unionName}` } },
          },
        },
        responses,
      },
    },
  },
};

const notices = {
  live: {},
  opt_in: { description: 'Opt-in. Sent only to webhooks that name it in `events`.' },
  coming_soon: { description: 'Coming soon. Sent only by installations that preview it.' },
};

/** The request that a webhook's receiver gets. */
export function describeEvent(type: EventType, message: z.ZodType) {
  const { meaning, availability } = eventCatalogue[type];
  return {
    method: 'post',
    path: type,
    operationId: `receive${nameOf(type)}`,
    summary: meaning,
    ...notices[availability],
    tags: [messageTag],
    security: [],
    request: {
      headers: SignatureHeaders,
      body: { required: true, content: json(message) },
    },
    responses,
  } as const;
}
