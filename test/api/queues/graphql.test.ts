// Queues in GraphQL: the same as in REST.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

let account: Account;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const slots = weekdays.map((weekday) => ({ weekday, time: '09:00' }));
const plan = () => ({ name: 'Mornings', timezone: 'UTC', accountIds: [account.id], slots });

const createQueue = `mutation ($input: CreateQueueInput!) {
  createQueue(input: $input) {
    id environment name timezone accountIds accounts { id } slots { weekday time } isPaused
    warnings { path code queueId queue { name } }
  }
}`;
const create = async (fields = {}) =>
  (await ask(app, createQueue, { input: { ...plan(), ...fields } })).createQueue;

const createPost = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) {
    id status scheduledAt queueId queue { id name } results { socialAccountId } warnings { code path }
  }
}`;
const enqueue = async (queueId: string, fields = {}) =>
  (await ask(app, createPost, { input: { caption: 'hello', queueId, ...fields } })).createPost;

describe('queues', () => {
  test('are created, read, listed, changed and deleted', async () => {
    const queue = await create();
    expect(queue).toMatchObject({
      ...plan(),
      environment: 'TEST',
      accounts: [{ id: account.id }],
      isPaused: false,
      warnings: [],
    });
    const { id } = queue;
    const read = `query ($id: ID!) { queue(id: $id) { id name } queues(first: 1) { nodes { id } } }`;
    expect(await ask(app, read, { id })).toEqual({
      queue: { id, name: 'Mornings' },
      queues: { nodes: [{ id }] },
    });
    const rest = (await app.api.get(`/v1/queues/${id}`)).body.data;
    expect(rest).toMatchObject({ id, account_ids: [account.id], slots: expect.any(Array) });
    const update = `mutation ($id: ID!, $input: UpdateQueueInput!) {
      updateQueue(id: $id, input: $input) { name isPaused timezone }
    }`;
    const input = { isPaused: true, timezone: 'asia/tokyo', name: null };
    expect(await ask(app, update, { id, input })).toEqual({
      updateQueue: { name: 'Mornings', isPaused: true, timezone: 'Asia/Tokyo' },
    });
    const paused = await askRefused(app, createPost, { input: { caption: 'a', queueId: id } });
    expect(paused).toMatchObject({ code: 'queue_paused' });
    expect(await ask(app, `mutation ($id: ID!) { deleteQueue(id: $id) }`, { id })).toEqual({
      deleteQueue: id,
    });
    expect(
      await askRefused(app, `query ($id: ID!) { queue(id: $id) { id } }`, { id }),
    ).toMatchObject({ code: 'not_found' });
  });

  test('give posts their slots, which a reschedule moves', async () => {
    const { id } = await create();
    const one = await enqueue(id);
    expect(one).toMatchObject({
      status: 'SCHEDULED',
      queueId: id,
      queue: { id, name: 'Mornings' },
      results: [{ socialAccountId: account.id }],
    });
    const first = await enqueue(id, { queuePosition: 'FIRST' });
    expect(first.scheduledAt).toBe(one.scheduledAt);
    const query = `query ($id: ID!, $from: DateTime) {
      queueSlots(id: $id, from: $from) { at local postId post { id } }
    }`;
    const from = new Date(Date.now() + 60_000).toISOString();
    const { queueSlots } = await ask(app, query, { id, from });
    expect(queueSlots).toHaveLength(7);
    const [taken, next, free] = queueSlots;
    expect(taken).toEqual({
      at: first.scheduledAt,
      local: first.scheduledAt.slice(0, 16),
      postId: first.id,
      post: { id: first.id },
    });
    expect([next.postId, free]).toMatchObject([one.id, { postId: null, post: null }]);
    const update = `mutation ($id: ID!, $input: UpdateQueueInput!) {
      updateQueue(id: $id, input: $input) { id }
    }`;
    const later = slots.map((slot) => ({ ...slot, time: '10:00' }));
    await ask(app, update, { id, input: { slots: later } });
    const reschedule = `mutation ($id: ID!) { rescheduleQueue(id: $id) { movedPosts } }`;
    expect(await ask(app, reschedule, { id })).toEqual({ rescheduleQueue: { movedPosts: 2 } });
  });

  test('give a draft its slot once it is scheduled', async () => {
    const { id: queueId } = await create();
    const draft = await enqueue(queueId, { status: 'DRAFT' });
    expect(draft).toMatchObject({ status: 'DRAFT', queueId, scheduledAt: null });
    const update = `mutation ($id: ID!, $input: UpdatePostInput!) {
      updatePost(id: $id, input: $input) { status queueId scheduledAt }
    }`;
    const { updatePost } = await ask(app, update, { id: draft.id, input: { queueId } });
    expect(updatePost).toMatchObject({ status: 'SCHEDULED', queueId });
    expect(updatePost.scheduledAt).toMatch(/T09:00:00/);
  });

  test.each([
    [{ timezone: 'Europe/Nowhere' }, 'input.timezone', 'invalid_timezone'],
    [{ slots: [] }, 'input.slots', 'too_small'],
    [{ slots: [{ weekday: 'MON', time: '9' }] }, 'input.slots[0].time', 'invalid_format'],
    [{ accountIds: ['sa_unknown'] }, 'input.accountIds[0]', 'unknown_account'],
  ])('are refused with %j, by the path of the input', async (fields, path, code) => {
    const refusal = await askRefused(app, createQueue, { input: { ...plan(), ...fields } });
    expect(refusal).toMatchObject({ code: 'validation_error', issues: [{ path, code }] });
  });

  test('warn of others that coincide', async () => {
    const one = await create({ name: 'Other', slots: [{ weekday: 'TUE', time: '11:11' }] });
    const { warnings } = await create({ slots: [{ weekday: 'TUE', time: '11:11' }] });
    expect(warnings).toEqual([
      { path: 'slots', code: 'queues_coincide', queueId: one.id, queue: { name: 'Other' } },
    ]);
    const post = await enqueue(one.id, { caption: 'at the same time' });
    expect(post.warnings).toEqual([{ path: 'input.queueId', code: 'queues_coincide' }]);
  });
});
