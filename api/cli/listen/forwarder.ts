// Sends an event to the developer's own server, as the webhook request that a worker would send.
import { lookup } from 'node:dns/promises';
import { createSafeFetch } from '../../../activities/egress/client.ts';
import type { SendResult } from '../../../activities/egress/send-outcome.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { webhookHeaders } from '../../../activities/delivering/webhook-request.ts';
import type { EventType } from '../../../schema/events.ts';
import type { StreamedEvent } from './event-stream.ts';

export interface ForwarderOptions {
  forwardTo: string;
  secret: string;
  isTest: boolean;
  signal: AbortSignal;
}

export interface Forwarder {
  /** Resolves whatever the server does; rejects with the signal. */
  send(event: StreamedEvent): Promise<SendResult>;
  close(): Promise<void>;
}

/** It runs on the machine of who gave the URL, and may reach what that machine reaches. */
const everywhere = ['0.0.0.0/0', '::/0'];
const deadlineMs = 10_000;

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { forwardTo: url, secret, isTest, signal } = options;
  const guard = createUrlGuard({
    allowPrivateCidrs: everywhere,
    lookup: (hostname) => lookup(hostname, { all: true, order: 'verbatim' }),
  });
  const safeFetch = createSafeFetch({ guard, connectionsPerOrigin: 1 });
  return {
    send({ id, body }) {
      const event = kindOf(body);
      const deliveryId = toDeliveryId(id);
      const request = { event, eventId: id, deliveryId, isTest, body, secrets: [secret] };
      const headers = webhookHeaders(request, new Date());
      return safeFetch.send({ owner: '', url, headers, body, deadlineMs, signal });
    },
    close: () => safeFetch.close(),
  };
}

export function kindOf(body: string): EventType {
  return (JSON.parse(body) as { event: EventType }).event;
}

/** There is no such delivery; but the same event is the same one each time that it comes. */
function toDeliveryId(eventId: string): string {
  return eventId.replace(/^evt_/, 'dlv_');
}
