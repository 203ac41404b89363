// The REST routes of queues.
import {
  CreateQueue,
  ListQueues,
  ListQueueSlots,
  Queue,
  QueueIssue,
  QueueSlot,
  RescheduledQueue,
  UpdateQueue,
} from '../../schema/queues.ts';
import {
  del,
  get,
  list,
  one,
  patch,
  post,
  removed,
  written,
  writtenWithWarnings,
} from '../http/route.ts';
import { createQueue, deleteQueue, getQueue, listQueues, updateQueue } from './operations.ts';
import { rescheduleQueue } from './reschedule.ts';
import { listQueueSlots } from './slots.ts';

export const queueRoutes = [
  post('/v1/queues', {
    name: 'createQueue',
    summary: 'Create a queue',
    description: 'A post takes one of its slots by `queue_id` instead of a time.',
    scope: 'posts:write',
    body: CreateQueue,
    location: ({ data }) => `/v1/queues/${data.id}`,
    answer: writtenWithWarnings([201], Queue, QueueIssue),
    run: ({ context, caller, body }) => createQueue(context, caller, body),
  }),

  get('/v1/queues', {
    name: 'listQueues',
    summary: 'List queues',
    description: 'Newest first.',
    scope: 'posts:read',
    query: ListQueues,
    answer: list(Queue),
    run: ({ context, caller, query }) => listQueues(context, caller, query),
  }),

  get('/v1/queues/:id', {
    name: 'getQueue',
    summary: 'Get a queue',
    scope: 'posts:read',
    answer: one(Queue),
    run: ({ context, caller, params }) => getQueue(context, caller, params.id),
  }),

  patch('/v1/queues/:id', {
    name: 'updateQueue',
    summary: 'Update a queue',
    description:
      'The change is for new posts. `POST /v1/queues/:id/reschedule` applies changed slots to posts that have a slot.',
    scope: 'posts:write',
    body: UpdateQueue,
    answer: writtenWithWarnings([200], Queue, QueueIssue),
    run: ({ context, caller, params, body }) => updateQueue(context, caller, params.id, body),
  }),

  del('/v1/queues/:id', {
    name: 'deleteQueue',
    summary: 'Delete a queue',
    description: 'Scheduled posts keep their times.',
    scope: 'posts:write',
    answer: removed,
    run: ({ context, caller, params }) => deleteQueue(context, caller, params.id),
  }),

  get('/v1/queues/:id/slots', {
    name: 'listQueueSlots',
    summary: 'List the slots of a queue',
    description:
      'All slots of the period, earliest first, with the posts that have them. Posts keep slots that are no longer in the plan.',
    scope: 'posts:read',
    query: ListQueueSlots,
    answer: list(QueueSlot),
    run: ({ context, caller, params, query }) => listQueueSlots(context, caller, params.id, query),
  }),

  post('/v1/queues/:id/reschedule', {
    name: 'rescheduleQueue',
    summary: 'Move the posts of a queue to its current slots',
    description:
      'Scheduled posts move to the first slots of the plan, in their order. Posts that are due within 60 seconds stay. Returns `queue_full` and moves none if the plan has too few slots, and `conflict` if a post would miss its deadline.',
    scope: 'posts:write',
    answer: written(200, RescheduledQueue),
    run: ({ context, caller, params }) => rescheduleQueue(context, caller, params.id),
  }),
];
