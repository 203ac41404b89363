// A client with a queue over REST.
import type { Queue, QueueSlot } from '../../../schema/queues.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { forEachTest } from '../fixtures.ts';
import type { TestAnswer, TestRest } from '../app/rest.ts';
import { createAuthor, type Author } from '../rows/posts.ts';

export interface Planner extends Author {
  readonly queue: Queue;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  /** Creates another queue. Default: every hour of every day in UTC, for the first two accounts. */
  createQueue(fields?: Record<string, unknown>): Promise<Queue>;
  /** Creates a post without targets of its own, in the queue. */
  enqueue(post?: Record<string, unknown>): Promise<Post>;
  ask(id: string, path: string): Promise<TestAnswer>;
  /** The slots of the queue from now on, as many as asked. */
  slots(count: number, queueId?: string): Promise<QueueSlot[]>;
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** Every hour of every day. */
export const hourly = weekdays.flatMap((weekday) => hours.map((time) => ({ weekday, time })));
export const daily = (time: string) => weekdays.map((weekday) => ({ weekday, time }));

export async function createPlanner(rest: TestRest): Promise<Planner> {
  const author = await createAuthor(rest);
  const { key, accounts } = author;
  const call = (method: string, path: string, body?: unknown) =>
    rest.call(method, path, { key, ...(body !== undefined && { body }) });
  async function createQueue(fields: Record<string, unknown> = {}) {
    const plan = { timezone: 'UTC', account_ids: accounts.slice(0, 2), slots: hourly };
    const answer = await call('POST', '/v1/queues', { name: 'Main', ...plan, ...fields });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.data as Queue;
  }
  const queue = await createQueue();
  return {
    ...author,
    queue,
    call,
    createQueue,
    async enqueue(post = {}) {
      const body = { caption: 'hello', queue_id: queue.id, ...post };
      const answer = await call('POST', '/v1/posts', body);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body.data as Post;
    },
    ask: (id, path) => call('POST', `/v1/posts/${id}/${path}`),
    async slots(count, queueId = queue.id) {
      // No slot is nearer than a minute.
      const from = new Date(Date.now() + 60_000).toISOString();
      const { body } = await call('GET', `/v1/queues/${queueId}/slots?from=${from}`);
      return (body.data as QueueSlot[]).slice(0, count);
    },
  };
}

/** Creates another planner for each test. */
export const usePlanner = (rest: TestRest) => forEachTest(() => createPlanner(rest));
