// Queues, in GraphQL.
import {
  CreateQueue,
  ListQueues,
  ListQueueSlots,
  UpdateQueue,
  Weekday,
  type Queue,
  type QueueIssue,
  type QueueSlot,
  type RescheduledQueue,
  type WeeklySlot,
} from '../../schema/queues.ts';
import { accountNodes, AccountRef } from '../accounts/graphql.ts';
import { KeyEnvironmentRef } from '../api-keys/graphql.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { linkOne } from '../graphql/links.ts';
import { deleted, mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { list, readId } from '../graphql/operation.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { idArguments, wordEnum } from '../graphql/shapes.ts';
import { postNodes, PostRef } from '../posts/graphql/shapes.ts';
import {
  createQueue,
  deleteQueue,
  findQueues,
  getQueue,
  listQueues,
  updateQueue,
} from './operations.ts';
import { rescheduleQueue } from './reschedule.ts';
import { listQueueSlots } from './slots.ts';

const WeekdayRef = wordEnum(Weekday);

const WeeklySlotRef = builder.objectRef<WeeklySlot>('WeeklySlot').implement({
  fields: (t) => ({
    weekday: t.expose('weekday', { type: WeekdayRef }),
    time: t.exposeString('time'),
  }),
});

const QueueIssueRef = builder.objectRef<QueueIssue>('QueueIssue').implement({
  fields: (t) => ({
    path: t.exposeString('path'),
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    queueId: t.exposeID('queue_id'),
  }),
});

const QueueRef = builder.objectRef<Queue & { warnings?: QueueIssue[] }>('Queue');
const queueNodes = nodesOf('posts:read', findQueues);

builder.node(QueueRef, {
  ...queueNodes.options,
  fields: (t) => ({
    environment: t.expose('environment', { type: KeyEnvironmentRef }),
    name: t.exposeString('name'),
    timezone: t.exposeString('timezone'),
    accountIds: t.exposeIDList('account_ids'),
    accounts: t.field({
      type: [AccountRef],
      nullable: true,
      description: 'Accounts that its posts publish to.',
      complexity: { field: 5, multiplier: 5 },
      resolve: async ({ account_ids }, _, graphql): Promise<never> => {
        const found = await Promise.all(account_ids.map((id) => accountNodes.load(graphql, id)));
        return found.filter((account) => account !== undefined) as never;
      },
    }),
    slots: t.expose('slots', { type: [WeeklySlotRef] }),
    isPaused: t.exposeBoolean('is_paused'),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime' }),
    warnings: t.field({
      type: [QueueIssueRef],
      description:
        'Warnings about the queue. Empty except in the response to creating or updating it.',
      resolve: ({ warnings }) => warnings ?? [],
    }),
  }),
});

linkOne(QueueIssueRef, 'queue', {
  type: QueueRef,
  description: 'The other queue.',
  load: queueNodes.load,
  idOf: ({ queue_id }) => queue_id,
});

linkOne(PostRef, 'queue', {
  type: QueueRef,
  description: 'Queue that gave the post its time. Null if none did, and once it is deleted.',
  load: queueNodes.load,
  idOf: ({ queue_id }) => queue_id,
});

const QueueSlotRef = builder.objectRef<QueueSlot>('QueueSlot').implement({
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime' }),
    local: t.exposeString('local'),
    postId: t.exposeID('post_id', { nullable: true }),
  }),
});

linkOne(QueueSlotRef, 'post', {
  type: PostRef,
  description: 'Post that has the slot. Null if the slot is free.',
  load: postNodes.load,
  idOf: ({ post_id }) => post_id,
});

const WeeklySlotInput = builder.inputType('WeeklySlotInput', {
  fields: (t) => ({
    weekday: t.field({ type: WeekdayRef, required: true }),
    time: t.string({ required: true }),
  }),
});

const CreateQueueInput = builder.inputType('CreateQueueInput', {
  fields: (t) => ({
    name: t.string({ required: true }),
    timezone: t.string({ required: true }),
    accountIds: t.idList({ required: true }),
    slots: t.field({ type: [WeeklySlotInput], required: true }),
    isPaused: t.boolean(),
  }),
});

const UpdateQueueInput = builder.inputType('UpdateQueueInput', {
  fields: (t) => ({
    name: t.string(),
    timezone: t.string(),
    accountIds: t.idList(),
    slots: t.field({ type: [WeeklySlotInput] }),
    isPaused: t.boolean(),
  }),
});

queryOne('queue', {
  type: QueueRef,
  scope: 'posts:read',
  resource: 'queue',
  get: getQueue,
});

queryPages('queues', {
  type: connectionOf('QueueConnection', QueueRef),
  scope: 'posts:read',
  schema: ListQueues,
  list: listQueues,
});

/** A period of a queue may have many slots, each with a post. */
const slotsCost = { field: operationCost + 100, multiplier: 100 };

builder.queryField('queueSlots', (t) =>
  t.field({
    type: [QueueSlotRef],
    nullable: true,
    complexity: slotsCost,
    extensions: { query: ListQueueSlots },
    args: {
      ...idArguments('queue'),
      ...builder.args((a) => ({
        from: a.field({ type: 'DateTime' }),
        to: a.field({ type: 'DateTime' }),
      })),
    },
    resolve: async (_, { id, ...period }, graphql) => {
      const slots = await list(
        graphql,
        'posts:read',
        ListQueueSlots,
        period as Record<string, string | null | undefined>,
        (context, caller, query) => listQueueSlots(context, caller, readId('queue', id), query),
      );
      return slots.data;
    },
  }),
);

mutationOf('createQueue', {
  type: QueueRef,
  scope: 'posts:write',
  input: CreateQueueInput,
  schema: CreateQueue,
  takesKey: true,
  run: createQueue,
});

mutationOf('updateQueue', {
  type: QueueRef,
  scope: 'posts:write',
  resource: 'queue',
  input: UpdateQueueInput,
  schema: UpdateQueue,
  takesKey: true,
  run: (context, caller, changes, { id }) => updateQueue(context, caller, id, changes),
});

mutationOf('deleteQueue', {
  type: 'ID',
  scope: 'posts:write',
  resource: 'queue',
  run: (context, caller, _, { id }) => deleted(deleteQueue(context, caller, id), id),
});

const RescheduledQueueRef = builder.objectRef<RescheduledQueue>('RescheduledQueue').implement({
  fields: (t) => ({ movedPosts: t.exposeInt('moved_posts') }),
});

mutationOf('rescheduleQueue', {
  type: RescheduledQueueRef,
  scope: 'posts:write',
  resource: 'queue',
  takesKey: true,
  run: (context, caller, _, { id }) => rescheduleQueue(context, caller, id),
});
