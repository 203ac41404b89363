// Queues: plans of weekly slots.
import type { Calls } from '../calls.ts';
import type { Body, Query } from '../operations.ts';
import { path, type CallOptions } from '../send.ts';

export function createQueues({ one, warned, list, removal }: Calls) {
  return {
    create: (queue: Body<'createQueue'>, options?: CallOptions) =>
      warned<'createQueue'>('POST', '/v1/queues', { body: queue }, options),

    list: (query?: Query<'listQueues'>, options?: CallOptions) =>
      list<'listQueues'>('/v1/queues', query, options),

    get: (id: string, options?: CallOptions) =>
      one<'getQueue'>('GET', path`/v1/queues/${id}`, {}, options),

    update: (id: string, changes: Body<'updateQueue'>, options?: CallOptions) =>
      warned<'updateQueue'>('PATCH', path`/v1/queues/${id}`, { body: changes }, options),

    delete: (id: string, options?: CallOptions) =>
      removal('DELETE', path`/v1/queues/${id}`, {}, options),

    slots: (id: string, query?: Query<'listQueueSlots'>, options?: CallOptions) =>
      list<'listQueueSlots'>(path`/v1/queues/${id}/slots`, query, options),

    /** Gives the waiting posts the slots of the plan anew. */
    reschedule: (id: string, options?: CallOptions) =>
      one<'rescheduleQueue'>('POST', path`/v1/queues/${id}/reschedule`, {}, options),
  };
}
