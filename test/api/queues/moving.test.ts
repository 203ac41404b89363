// Posts that move to other slots of their queue: by a post that comes first, or by a reschedule.
import { describe, expect, test } from 'vitest';
import { useRest } from '../../support/app/rest.ts';
import { changesOf, claimAs, eventsOf, runOf } from '../../support/rows/posts.ts';
import { daily, usePlanner } from '../../support/queues/planner.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const planner = usePlanner(rest);

/** Who moved the post. */
async function moverOf(id: string) {
  const { actor } = await rest.context.db
    .selectFrom('changes')
    .select('actor')
    .where('subject_id', '=', id)
    .where('kind', '=', 'rescheduled')
    .executeTakeFirstOrThrow();
  return actor;
}

const idsOf = async (count: number, queueId?: string) =>
  (await planner.slots(count, queueId)).map(({ post_id }) => post_id);

describe('queue_position: first', () => {
  test('moves the posts before the first free slot on by one slot, and no other', async () => {
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await planner.enqueue());
    const [one, two, three, four, five] = made.map(({ id }) => id) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await planner.ask(four, 'cancel');
    const first = await planner.enqueue({ queue_position: 'first' });
    expect(await idsOf(6)).toEqual([first.id, one, two, three, five, null]);
    const slots = await planner.slots(5);
    for (const [index, id] of [first.id, one, two, three, five].entries()) {
      expect((await planner.read(id)).scheduled_at).toBe(slots[index]!.at);
    }
    expect(await changesOf(rest, three)).toEqual(['created', 'rescheduled']);
    expect(await changesOf(rest, five)).toEqual(['created']);
    expect((await planner.read(five)).revision).toBe(made[4]!.revision);
  });

  test('supersedes the runs of the posts that move, and reports their new times', async () => {
    const post = await planner.enqueue();
    const old = await runOf(rest, post.id);
    await planner.enqueue({ queue_position: 'first' });
    const { current_run, workflow_id } = await runOf(rest, post.id);
    expect(current_run).toBe(old.current_run + 1);
    expect(await claimAs(rest.context, post.id, old.current_run, old.workflow_id!)).toBe(false);
    const slots = await planner.slots(2);
    const { start_at, is_early } = await rest.context.db
      .selectFrom('outbox')
      .select(['start_at', 'is_early'])
      .where('workflow_id', '=', workflow_id!)
      .executeTakeFirstOrThrow();
    expect([start_at!.toISOString(), is_early]).toEqual([slots[1]!.at, true]);
    const { due_at, run_due_at } = await rest.context.db
      .selectFrom('posts')
      .select(['due_at', 'run_due_at'])
      .where('id', '=', post.id)
      .executeTakeFirstOrThrow();
    expect([due_at!.toISOString(), run_due_at.toISOString()]).toEqual([slots[1]!.at, slots[1]!.at]);
    const events = await eventsOf(rest, post.id);
    expect(events.map(({ data }) => data.scheduled_at)).toEqual(slots.map(({ at }) => at));
  });

  test('records the key that moved a post as the actor of the change', async () => {
    const post = await planner.enqueue();
    const { body } = await planner.call('GET', '/v1/api-keys/current');
    await planner.enqueue({ queue_position: 'first' });
    expect(await moverOf(post.id)).toMatchObject({ type: 'key', id: body.data.id });
  });

  test('counts a post in the month that it moves to', async () => {
    const queue = await planner.createQueue({ slots: daily('12:00') });
    const to = new Date(Date.now() + 60 * 86_400_000).toISOString();
    const { body } = await planner.call('GET', `/v1/queues/${queue.id}/slots?to=${to}`);
    const months = body.data.map(({ local }: { local: string }) => local.slice(0, 7)) as string[];
    const end = months.findIndex((month, index) => index > 0 && month !== months[index - 1]);
    const usage = () =>
      rest.context.db
        .selectFrom('account_usage')
        .select(['month', 'published'])
        .where('social_account_id', '=', planner.accounts[0])
        .where('published', '>', 0)
        .orderBy('month')
        .execute();
    for (let i = 0; i < end; i++) await planner.enqueue({ queue_id: queue.id });
    expect(await usage()).toEqual([{ month: months[0], published: end }]);
    await planner.enqueue({ queue_id: queue.id, queue_position: 'first' });
    expect(await usage()).toEqual([
      { month: months[0], published: end },
      { month: months[end], published: 1 },
    ]);
  });

  test('moves none if a post would miss its deadline', async () => {
    const [slot] = await planner.slots(1);
    const publish_by = new Date(Date.parse(slot!.at) + 1_000).toISOString();
    const post = await planner.enqueue({ publish_by });
    const answer = await planner.call('POST', '/v1/posts', {
      caption: 'hello',
      queue_id: planner.queue.id,
      queue_position: 'first',
    });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', post_id: post.id } },
    });
    expect(await planner.read(post.id)).toEqual(post);
    expect(await idsOf(2)).toEqual([post.id, null]);
  });
});

describe('POST /v1/queues/:id/reschedule', () => {
  const reschedule = (id = planner.queue.id) => planner.call('POST', `/v1/queues/${id}/reschedule`);

  test('moves the posts to the slots of the changed plan, in their order', async () => {
    const queue = await planner.createQueue({ slots: daily('09:00') });
    const enqueue = () => planner.enqueue({ queue_id: queue.id });
    const [one, two, three, four] = [
      await enqueue(),
      await enqueue(),
      await enqueue(),
      await enqueue(),
    ];
    await planner.ask(two.id, 'cancel');
    const slots = [...daily('10:00'), ...daily('16:00')];
    await planner.call('PATCH', `/v1/queues/${queue.id}`, { slots, timezone: 'Asia/Tokyo' });
    // A changed plan moves nothing by itself.
    expect((await planner.read(one.id)).scheduled_at).toBe(one.scheduled_at);
    expect(await reschedule(queue.id)).toMatchObject({
      status: 200,
      body: { data: { moved_posts: 3 } },
    });
    expect(await idsOf(4, queue.id)).toEqual([one.id, three.id, four.id, null]);
    const [first] = await planner.slots(1, queue.id);
    expect((await planner.read(one.id)).scheduled_at).toBe(first!.at);
    expect(first!.local).toMatch(/T(10|16):00$/);
    expect(await changesOf(rest, three.id)).toEqual(['created', 'rescheduled']);
    // A repeat finds every post in its place.
    expect((await reschedule(queue.id)).body.data).toEqual({ moved_posts: 0 });
    expect(await changesOf(rest, three.id)).toEqual(['created', 'rescheduled']);
  });

  test('moves posts to slots that others of them had', async () => {
    const posts = [await planner.enqueue(), await planner.enqueue(), await planner.enqueue()];
    await planner.ask(posts[0]!.id, 'cancel');
    expect((await reschedule()).body.data).toEqual({ moved_posts: 2 });
    expect(await idsOf(3)).toEqual([posts[1]!.id, posts[2]!.id, null]);
  });

  test('records the key that asked for it as the actor of each change', async () => {
    const posts = [await planner.enqueue(), await planner.enqueue(), await planner.enqueue()];
    await planner.ask(posts[0]!.id, 'cancel');
    const { data } = (await planner.call('POST', '/v1/api-keys', { name: 'Planner' })).body;
    const path = `/v1/queues/${planner.queue.id}/reschedule`;
    expect((await rest.call('POST', path, { key: data.key })).body.data).toEqual({
      moved_posts: 2,
    });
    for (const { id } of posts.slice(1)) {
      expect(await moverOf(id)).toEqual({ type: 'key', id: data.id, name: 'Planner' });
    }
  });

  test('leaves a post that is due within a minute', async () => {
    const post = await planner.enqueue();
    const soon = new Date(Date.now() + 30_000);
    const { db } = rest.context;
    await db.updateTable('queue_slots').set({ at: soon }).where('post_id', '=', post.id).execute();
    await db.updateTable('posts').set({ scheduled_at: soon }).where('id', '=', post.id).execute();
    expect((await reschedule()).body.data).toEqual({ moved_posts: 0 });
    expect((await planner.read(post.id)).scheduled_at).toBe(soon.toISOString());
  });

  test('applies the plan of a paused queue', async () => {
    const post = await planner.enqueue();
    const changes = { is_paused: true, slots: daily('09:17') };
    await planner.call('PATCH', `/v1/queues/${planner.queue.id}`, changes);
    expect((await reschedule()).body.data).toEqual({ moved_posts: 1 });
    expect((await planner.read(post.id)).scheduled_at).toMatch(/T09:17/);
  });

  test('moves none if the plan has too few slots', async () => {
    const posts = [];
    for (let i = 0; i < 54; i++) posts.push(await planner.enqueue());
    const slots = [{ weekday: 'mon', time: '09:00' }];
    await planner.call('PATCH', `/v1/queues/${planner.queue.id}`, { slots });
    expect(await reschedule()).toMatchObject({
      status: 409,
      body: { error: { code: 'queue_full' } },
    });
    for (const post of [posts[0]!, posts.at(-1)!]) {
      expect(await planner.read(post.id)).toEqual(post);
    }
  });

  test('moves none if a post would miss its deadline', async () => {
    const [slot] = await planner.slots(1);
    const publish_by = new Date(Date.parse(slot!.at) + 1_000).toISOString();
    const post = await planner.enqueue({ publish_by });
    const day = new Date(Date.now() + 2 * 86_400_000).getUTCDay();
    const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][day];
    const slots = [{ weekday, time: '09:00' }];
    await planner.call('PATCH', `/v1/queues/${planner.queue.id}`, { slots });
    expect(await reschedule()).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', post_id: post.id } },
    });
    expect(await planner.read(post.id)).toEqual(post);
  });
});
