// Webhooks, the deliveries to them, replays, and the recorded events.
import type { Calls } from '../calls.ts';
import type { Body, Query } from '../operations.ts';
import { path, type CallOptions } from '../send.ts';
import { verifyWebhook } from '../verify-webhook.ts';

export function createWebhooks({ one, list, removal }: Calls) {
  return {
    /** Only this answer has the `secret`. */
    create: (webhook: Body<'createWebhook'>, options?: CallOptions) =>
      one<'createWebhook'>('POST', '/v1/webhooks', { body: webhook }, options),

    list: (query?: Query<'listWebhooks'>, options?: CallOptions) =>
      list<'listWebhooks'>('/v1/webhooks', query, options),

    get: (id: string, options?: CallOptions) =>
      one<'getWebhook'>('GET', path`/v1/webhooks/${id}`, {}, options),

    update: (id: string, changes: Body<'updateWebhook'>, options?: CallOptions) =>
      one<'updateWebhook'>('PATCH', path`/v1/webhooks/${id}`, { body: changes }, options),

    delete: (id: string, options?: CallOptions) =>
      removal('DELETE', path`/v1/webhooks/${id}`, {}, options),

    /** Only this answer has the new `secret`. */
    rotate: (id: string, body: Body<'rotateWebhook'> = {}, options?: CallOptions) =>
      one<'rotateWebhook'>('POST', path`/v1/webhooks/${id}/rotate`, { body }, options),

    /** Sends a sample. */
    test: (id: string, body: Body<'testWebhook'> = {}, options?: CallOptions) =>
      one<'testWebhook'>('POST', path`/v1/webhooks/${id}/test`, { body }, options),

    /** Sends past events again. */
    replay: (id: string, replay: Body<'replayDeliveries'>, options?: CallOptions) =>
      one<'replayDeliveries'>('POST', path`/v1/webhooks/${id}/replay`, { body: replay }, options),

    listReplays: (id: string, query?: Query<'listReplays'>, options?: CallOptions) =>
      list<'listReplays'>(path`/v1/webhooks/${id}/replays`, query, options),

    getReplay: (id: string, replayId: string, options?: CallOptions) =>
      one<'getReplay'>('GET', path`/v1/webhooks/${id}/replays/${replayId}`, {}, options),

    /** Checks the signature of a request that a webhook received, and returns its message. */
    verify: verifyWebhook,
  };
}

export function createDeliveries({ one, list }: Calls) {
  return {
    /** With `webhook_id`, only the deliveries to this webhook. */
    list: (
      { webhook_id, ...query }: Query<'listAllDeliveries'> & { webhook_id?: string } = {},
      options?: CallOptions,
    ) =>
      webhook_id === undefined
        ? list<'listAllDeliveries'>('/v1/deliveries', query, options)
        : list<'listDeliveries'>(path`/v1/webhooks/${webhook_id}/deliveries`, query, options),

    get: (id: string, options?: CallOptions) =>
      one<'getDelivery'>('GET', path`/v1/deliveries/${id}`, {}, options),

    /** Numbers of deliveries by day, in a time zone. */
    counts: (query: Query<'listDeliveryCounts'>, options?: CallOptions) =>
      list<'listDeliveryCounts'>('/v1/deliveries/counts', query, options),

    /** Makes one attempt now. */
    retry: (id: string, options?: CallOptions) =>
      one<'retryDelivery'>('POST', path`/v1/deliveries/${id}/retry`, {}, options),
  };
}

export function createEvents({ one, list }: Calls) {
  return {
    list: (query?: Query<'listEvents'>, options?: CallOptions) =>
      list<'listEvents'>('/v1/events', query, options),

    get: (id: string, options?: CallOptions) =>
      one<'getEvent'>('GET', path`/v1/events/${id}`, {}, options),
  };
}

export function createEventTypes({ list }: Calls) {
  return {
    list: (options?: CallOptions) => list<'listEventTypes'>('/v1/event-types', undefined, options),
  };
}
