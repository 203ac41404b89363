// Clients who put posts into one queue at once, while others cancel and move these posts.
import { expect } from 'vitest';
import type { Post } from '../../../schema/posts/posts.ts';
import type { TestRest } from '../app/rest.ts';
import { createPlanner, type Planner } from './planner.ts';

interface Crowd {
  clients: number;
  posts: number;
}

/** Every 30 minutes. */
const times = Array.from({ length: 48 }, (_, half) => {
  return `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 === 0 ? '00' : '30'}`;
});
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const slots = weekdays.flatMap((weekday) => times.map((time) => ({ weekday, time })));

/** Afterwards each post has a slot of its own, or has left the queue. */
export async function crowdQueue(rest: TestRest, { clients, posts }: Crowd): Promise<void> {
  const planner = await createPlanner(rest);
  const queue = await planner.createQueue({ slots });
  const made: Post[] = [];
  const left = new Set<string>();
  let isDone = false;
  const positions = ['next', 'next', 'next', 'last', 'first'];
  // One request moves at most 1,000 posts.
  const positionAt = (turn: number) =>
    positions[turn % (made.length < 500 ? positions.length : positions.length - 1)];

  async function fill(client: number) {
    for (let i = 0; i < posts; i++) {
      const queue_position = positionAt(client + i);
      const body = { caption: `${client} ${i}`, queue_id: queue.id, queue_position };
      const key = `${queue.id} ${client} ${i}`;
      const answer = await planner.call('POST', '/v1/posts', { ...body, idempotency_key: key });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      made.push(answer.body.data as Post);
    }
  }

  async function disturb(work: (post: Post, turn: number) => Promise<void>) {
    for (let turn = 0; !isDone; turn++) {
      const post = made[(turn * 7) % Math.max(made.length, 1)];
      if (post && !left.has(post.id)) await work(post, turn);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  const others = [
    disturb(async ({ id }) => {
      left.add(id);
      expect((await planner.ask(id, 'cancel')).status).toBe(200);
    }),
    disturb(async ({ id }, turn) => {
      const queue_position = positionAt(turn);
      const answer = await planner.change(id, { queue_id: queue.id, queue_position });
      if (!left.has(id)) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    }),
    disturb(async (_, turn) => {
      if (turn % 20 !== 0) return;
      const { status } = await planner.call('POST', `/v1/queues/${queue.id}/reschedule`);
      expect(status).toBe(200);
    }),
  ];
  try {
    await Promise.all(Array.from({ length: clients }, (_, client) => fill(client)));
  } finally {
    isDone = true;
    await Promise.all(others);
  }
  expect(new Set(made.map(({ id }) => id)).size).toBe(clients * posts);
  await expectOwnSlots(rest, planner, { queueId: queue.id, made, left });
}

async function expectOwnSlots(
  { context: { db } }: TestRest,
  { projectId }: Planner,
  { queueId, made, left }: { queueId: string; made: Post[]; left: Set<string> },
): Promise<void> {
  const rows = await db
    .selectFrom('posts')
    .select(['id', 'status', 'scheduled_at', 'workflow_id'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
  expect(rows.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted());
  const statusOf = ({ id }: { id: string }) => (left.has(id) ? 'canceled' : 'scheduled');
  expect(rows.map(({ status }) => status)).toEqual(rows.map(statusOf));
  const taken = await db
    .selectFrom('queue_slots')
    .select(['post_id as id', 'at as scheduled_at'])
    .where('queue_id', '=', queueId)
    .orderBy('post_id')
    .execute();
  const scheduled = rows.filter(({ status }) => status === 'scheduled');
  expect(taken).toEqual(scheduled.map(({ id, scheduled_at }) => ({ id, scheduled_at })));
  expect(new Set(taken.map(({ scheduled_at }) => scheduled_at.getTime())).size).toBe(taken.length);
  const starts = await db
    .selectFrom('outbox')
    .select(['workflow_id', 'start_at'])
    .where('project_id', '=', projectId)
    .execute();
  const startOf = new Map(starts.map(({ workflow_id, start_at }) => [workflow_id, start_at]));
  const wanted = scheduled.map(({ scheduled_at }) => scheduled_at);
  expect(scheduled.map(({ workflow_id }) => startOf.get(workflow_id!))).toEqual(wanted);
}
