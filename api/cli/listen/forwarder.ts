// Sends an event to the developer's server, as the webhook request that a worker would send.
import { lookup } from 'node:dns/promises';
import { createSafeFetch } from '../../../activities/egress/client.ts';
import type { SendResult } from '../../../activities/egress/send-outcome.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { webhookHeaders } from '../../../activities/delivering/signature.ts';
import type { EventType } from '../../../schema/event-types.ts';
import type { StreamedEvent } from './event-stream.ts';
import type { ListenOptions } from './options.ts';

interface ForwarderOptions extends Pick<ListenOptions, 'secret' | 'isTest'> {
  forwardTo: string;
  signal: AbortSignal;
}

/** The developer's own machine sends the request, so every address is allowed. */
const everywhere = ['0.0.0.0/0', '::/0'];
const deadlineMs = 10_000;

export function createForwarder(options: ForwarderOptions) {
  const { forwardTo: url, secret, isTest, signal } = options;
  const guard = createUrlGuard({
    allowPrivateCidrs: everywhere,
    lookup: (hostname) => lookup(hostname, { all: true, order: 'verbatim' }),
  });
  const safeFetch = createSafeFetch({ guard, connectionsPerOrigin: 1 });
  return {
    /** Resolves with any outcome. Rejects only if the signal aborts. */
    send({ id, body }: StreamedEvent): Promise<SendResult> {
      const event = typeOf(body);
      // No delivery with this ID exists, but a repeated event gets the same ID.
      const deliveryId = id.replace(/^evt_/, 'dlv_');
      const request = { event, eventId: id, deliveryId, isTest, body, secrets: [secret] };
      const headers = webhookHeaders(request, new Date());
      return safeFetch.send({ owner: '', url, headers, body, deadlineMs, signal });
    },
    close: () => safeFetch.close(),
  };
}

export function typeOf(body: string): EventType {
  return (JSON.parse(body) as { event: EventType }).event;
}
