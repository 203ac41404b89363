// Posts that take slots of a queue: which slot, which targets, and when they free the slot.
import { describe, expect, test } from 'vitest';
import { openSlots } from '../../../api/posts/queues/plan.ts';
import { useRest } from '../../support/app/rest.ts';
import { changesOf, inSeconds, runOf } from '../../support/rows/posts.ts';
import { daily, usePlanner } from '../../support/queues/planner.ts';

const rest = useRest();
const planner = usePlanner(rest);

const refused = (path: string, code: string) => ({
  status: 422,
  body: { error: { code: 'validation_error', issues: [{ path, code }] } },
});
const post = (fields: Record<string, unknown> = {}) =>
  planner.call('POST', '/v1/posts', { caption: 'hello', queue_id: planner.queue.id, ...fields });

const localTomorrow = {
  local: `${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)}T09:00`,
  timezone: 'Asia/Tokyo',
};

describe('POST /v1/posts with a queue', () => {
  test('schedules the post in the first free slot, for all accounts of the queue', async () => {
    const [first, second] = await planner.slots(2);
    const { status, body } = await post();
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      status: 'scheduled',
      scheduled_at: first!.at,
      queue_id: planner.queue.id,
    });
    const targets = body.data.results.map(
      (result: { social_account_id: string }) => result.social_account_id,
    );
    expect(targets).toEqual(planner.queue.account_ids);
    expect(body.warnings).toEqual([]);
    expect((await planner.slots(1))[0]!.post_id).toBe(body.data.id);
    expect((await post()).body.data.scheduled_at).toBe(second!.at);
    const { workflow_id } = await runOf(rest, body.data.id);
    const { start_at } = await rest.context.db
      .selectFrom('outbox')
      .select('start_at')
      .where('workflow_id', '=', workflow_id)
      .executeTakeFirstOrThrow();
    expect(start_at!.toISOString()).toBe(first!.at);
    expect(await planner.published(planner.accounts[0])).toBe(2);
  });

  test('skips slots that are nearer than 60 seconds', async () => {
    const minute = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const now = Date.now();
    const queue = await planner.createQueue({ slots: daily(minute(now + 60_000)) });
    const { body } = await post({ queue_id: queue.id });
    // The slot of this minute or the next one is too near, so the post goes to the next day.
    const ahead = Date.parse(body.data.scheduled_at) - now;
    expect(ahead).toBeGreaterThan(23 * 3_600_000);
  });

  test('takes the free slot that was left for `next`, and the end of the queue for `last`', async () => {
    const [one, two, three] = [
      await planner.enqueue(),
      await planner.enqueue(),
      await planner.enqueue(),
    ];
    const slots = await planner.slots(5);
    await planner.ask(two.id, 'cancel');
    const last = await planner.enqueue({ queue_position: 'last' });
    expect(last.scheduled_at).toBe(slots[3]!.at);
    const next = await planner.enqueue({ queue_position: 'next' });
    expect(next.scheduled_at).toBe(slots[1]!.at);
    expect(await planner.slots(4)).toMatchObject(
      [one, next, three, last].map(({ id }) => ({ post_id: id })),
    );
  });

  test('takes own targets that are among the accounts of the queue', async () => {
    const [, bob, carl] = planner.accounts;
    const { body } = await post({ account_ids: [bob] });
    expect(body.data.results).toMatchObject([{ social_account_id: bob }]);
    const platform_posts = [{ account_id: bob, caption: 'own' }, { account_id: carl }];
    expect(await post({ platform_posts })).toMatchObject(
      refused('platform_posts[1].account_id', 'not_in_queue'),
    );
    expect(await planner.slots(2)).toMatchObject([{ post_id: body.data.id }, { post_id: null }]);
  });

  test('names the queue if one of its accounts is lost', async () => {
    const [lost] = planner.accounts;
    await rest.context.db
      .updateTable('social_accounts')
      .set({ status: 'disconnected' })
      .where('id', '=', lost)
      .execute();
    const { body } = await post();
    expect(body.error.issues).toMatchObject([
      { path: 'queue_id', code: 'account_not_active', account_id: lost },
    ]);
    expect((await post({ account_ids: [planner.accounts[1]] })).status).toBe(201);
  });

  test.each([
    ['an unknown queue', { queue_id: 'que_unknown' }, 'queue_id', 'unknown_queue'],
    ['a time too', { scheduled_at: inSeconds(3_600) }, 'queue_id', 'both_times'],
    [
      'a local time too',
      { schedule: { local: '2027-01-01T09:00', timezone: 'UTC' } },
      'queue_id',
      'both_times',
    ],
    [
      'a position for a draft',
      { status: 'draft', queue_position: 'next' },
      'queue_position',
      'draft_in_queue',
    ],
    [
      'a position without a queue',
      { queue_id: undefined, queue_position: 'next' },
      'queue_position',
      'no_queue',
    ],
    ['an unknown position', { queue_position: 'middle' }, 'queue_position', 'invalid_value'],
  ])('refuses %s', async (_, fields, path, code) => {
    const { status, body } = await post(fields);
    expect(status).toBe(422);
    expect(body.error.issues).toContainEqual(expect.objectContaining({ path, code }));
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
  });

  test('refuses a change of the position alone', async () => {
    const { id } = await planner.enqueue();
    expect(await planner.change(id, { queue_position: 'first' })).toMatchObject(
      refused('queue_position', 'no_queue'),
    );
  });

  test('refuses a deadline before the slot', async () => {
    const [slot] = await planner.slots(1);
    expect(await post({ publish_by: slot!.at })).toMatchObject(refused('publish_by', 'too_soon'));
  });

  test('has a copy without the queue', async () => {
    const { id } = await planner.enqueue();
    const { body } = await planner.ask(id, 'duplicate');
    expect(body.data).toMatchObject({ status: 'draft', queue_id: null, scheduled_at: null });
    expect((await planner.slots(2))[1]!.post_id).toBeNull();
  });

  test('is refused by a paused queue, whose posts keep their slots', async () => {
    const before = await planner.enqueue();
    await planner.call('PATCH', `/v1/queues/${planner.queue.id}`, { is_paused: true });
    expect(await post()).toMatchObject({ status: 409, body: { error: { code: 'queue_paused' } } });
    expect(await planner.read(before.id)).toEqual(before);
    const draft = await planner.create({ status: 'draft' });
    expect(await planner.change(draft.id, { queue_id: planner.queue.id })).toMatchObject({
      status: 409,
      body: { error: { code: 'queue_paused' } },
    });
  });

  test('is refused with queue_full if no slot is free within 366 days', async () => {
    const queue = await planner.createQueue({ slots: [{ weekday: 'mon', time: '09:00' }] });
    const { body: soon } = await planner.call('GET', `/v1/queues/${queue.id}/slots`);
    const first = Date.parse(soon.data[0].at);
    await fill(
      queue.id,
      Array.from({ length: 54 }, (_, week) => first + week * 7 * 86_400_000),
    );
    const full = { status: 409, body: { error: { code: 'queue_full' } } };
    for (const queue_position of ['next', 'last', 'first']) {
      expect(await post({ queue_id: queue.id, queue_position })).toMatchObject(full);
    }
    const { body } = await planner.call('POST', '/v1/posts/validate', {
      caption: 'hello',
      queue_id: queue.id,
    });
    expect(body.data.errors).toMatchObject([{ path: 'queue_id', code: 'queue_full' }]);
    const dry = await planner.call('POST', '/v1/posts/bulk?dry_run=true', {
      posts: [{ caption: 'hello', queue_id: queue.id }],
    });
    expect(dry.body.data).toMatchObject([{ status: 409, error: { code: 'queue_full' } }]);
  });

  test('gets the same answer and one slot if it is repeated with its key', async () => {
    const body = { caption: 'hello', queue_id: planner.queue.id, idempotency_key: 'once' };
    const first = await planner.call('POST', '/v1/posts', body);
    await planner.call('PATCH', `/v1/queues/${planner.queue.id}`, { is_paused: true });
    const again = await planner.call('POST', '/v1/posts', body);
    expect([again.status, again.body.data]).toEqual([201, first.body.data]);
    const taken = (await planner.slots(24)).filter(({ post_id }) => post_id !== null);
    expect(taken).toHaveLength(1);
  });

  test('is created in bulk, each post in a slot of its own', async () => {
    const posts = Array.from({ length: 4 }, (_, i) => ({
      caption: `post ${i}`,
      queue_id: planner.queue.id,
    }));
    const { body } = await planner.call('POST', '/v1/posts/bulk', { posts });
    const times = body.data.map(
      ({ post: made }: { post: { scheduled_at: string } }) => made.scheduled_at,
    );
    expect(times).toEqual((await planner.slots(4)).map(({ at }) => at));
  });

  test.each(['gap', 'fold'] as const)('warns of a slot in the %s of a clock', async (adjusted) => {
    const [slots, timezone] = [[{ weekday: 'sun', time: '02:30' }], 'Europe/Berlin'];
    const queue = await planner.createQueue({ slots, timezone });
    const open = [...openSlots(queue)];
    const index = open.findIndex((slot) => slot.adjusted === adjusted);
    await fill(
      queue.id,
      open.slice(0, index).map(({ at }) => at.getTime()),
    );
    const { body } = await post({ queue_id: queue.id });
    const at = open[index]!.at.toISOString();
    expect(body.data.scheduled_at).toBe(at);
    expect(body.warnings).toMatchObject([{ path: 'queue_id', code: 'time_adjusted', actual: at }]);
    const message = adjusted === 'gap' ? /skip .* at \d{4}-\d\d-\d\dT03:30\.$/ : /T02:30 twice/;
    expect(body.warnings[0].message).toMatch(message);
    await planner.ask(body.data.id, 'cancel');
    const draft = await planner.create({ status: 'draft' });
    const changed = await planner.change(draft.id, { queue_id: queue.id });
    expect(changed.body.warnings).toMatchObject([{ path: 'queue_id', code: 'time_adjusted' }]);
  });

  /** Takes the slots for other posts. */
  async function fill(queue_id: string, times: number[]) {
    if (times.length === 0) return;
    const made = await Promise.all(times.map(() => planner.create({ status: 'draft' })));
    const slots = times.map((time, i) => ({ queue_id, at: new Date(time), post_id: made[i]!.id }));
    await rest.context.db.insertInto('queue_slots').values(slots).execute();
  }
});

describe('POST /v1/posts/validate with a queue', () => {
  test('takes no slot, and reports what a creation would', async () => {
    const validate = async (fields: Record<string, unknown> = {}) =>
      (
        await planner.call('POST', '/v1/posts/validate', {
          caption: 'hello',
          queue_id: planner.queue.id,
          ...fields,
        })
      ).body.data;
    expect(await validate()).toEqual({ valid: true, errors: [], warnings: [] });
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
    expect((await validate({ queue_id: 'que_unknown' })).errors).toMatchObject([
      { path: 'queue_id', code: 'unknown_queue' },
    ]);
    expect((await validate({ account_ids: [planner.accounts[2]] })).errors).toMatchObject([
      { path: 'account_ids[0]', code: 'not_in_queue' },
    ]);
    await planner.call('PATCH', `/v1/queues/${planner.queue.id}`, { is_paused: true });
    expect((await validate()).errors).toMatchObject([{ path: 'queue_id', code: 'queue_paused' }]);
  });
});

describe('PATCH /v1/posts/:id with a queue', () => {
  test('schedules a draft', async () => {
    const draft = await planner.create({ status: 'draft' });
    const [slot] = await planner.slots(1);
    const { body } = await planner.change(draft.id, { queue_id: planner.queue.id });
    expect(body.data).toMatchObject({
      status: 'scheduled',
      scheduled_at: slot!.at,
      queue_id: planner.queue.id,
    });
    expect(await changesOf(rest, draft.id)).toEqual(['created', 'scheduled']);
  });

  test('gives a draft without targets the accounts of the queue', async () => {
    const draft = await planner.create({ status: 'draft', account_ids: undefined });
    expect(draft.results).toEqual([]);
    const { body } = await planner.change(draft.id, { queue_id: planner.queue.id });
    expect(body.data.results).toMatchObject(
      planner.queue.account_ids.map((social_account_id) => ({ social_account_id })),
    );
    expect(await planner.published(planner.accounts[0])).toBe(1);
  });

  test('replaces a local time by a slot', async () => {
    const made = await planner.create({ schedule: localTomorrow });
    const [slot] = await planner.slots(1);
    const { body } = await planner.change(made.id, { queue_id: planner.queue.id });
    expect(body.data).toMatchObject({ scheduled_at: slot!.at, schedule: null });
  });

  test('moves a scheduled post from queue to queue', async () => {
    const made = await planner.enqueue();
    const other = await planner.createQueue({ slots: daily('09:00') });
    const { body } = await planner.change(made.id, { queue_id: other.id });
    expect(body.data.queue_id).toBe(other.id);
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
    expect((await planner.slots(1, other.id))[0]!.post_id).toBe(made.id);
    expect(await changesOf(rest, made.id)).toEqual(['created', 'rescheduled']);
  });

  test('moves a post within its queue', async () => {
    const [one, two] = [await planner.enqueue(), await planner.enqueue()];
    const queue_id = planner.queue.id;
    await planner.change(one.id, { queue_id, queue_position: 'last' });
    const slots = await planner.slots(3);
    expect(slots.map(({ post_id }) => post_id)).toEqual([null, two.id, one.id]);
    await planner.change(one.id, { queue_id, queue_position: 'first' });
    expect(await planner.slots(3)).toMatchObject([
      { post_id: one.id },
      { post_id: two.id },
      { post_id: null },
    ]);
  });

  test.each([
    ['another time', { scheduled_at: inSeconds(7_200) }, 'scheduled'],
    ['no time', { scheduled_at: null }, 'draft'],
    ['a local time', { schedule: localTomorrow }, 'scheduled'],
    ['no local time', { schedule: null }, 'draft'],
    ['the status draft', { status: 'draft' }, 'draft'],
  ])('frees the slot of a post that gets %s', async (_, changes, status) => {
    const made = await planner.enqueue();
    const { body } = await planner.change(made.id, changes);
    expect(body.data).toMatchObject({ status, queue_id: null });
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
  });

  test('keeps the slot when the content changes, and the targets in the queue', async () => {
    const made = await planner.enqueue();
    const [ada, , carl] = planner.accounts;
    const { body } = await planner.change(made.id, { caption: 'new', account_ids: [ada] });
    expect(body.data).toMatchObject({
      caption: 'new',
      scheduled_at: made.scheduled_at,
      queue_id: planner.queue.id,
    });
    expect(await planner.change(made.id, { account_ids: [carl] })).toMatchObject(
      refused('account_ids[0]', 'not_in_queue'),
    );
    const outside = await planner.create({ status: 'draft', account_ids: [carl] });
    expect(await planner.change(outside.id, { queue_id: planner.queue.id })).toMatchObject(
      refused('platform_posts[0].account_id', 'not_in_queue'),
    );
  });

  test('keeps the targets of a post, although its queue has lost their accounts since', async () => {
    const made = await planner.enqueue();
    const [, bob, carl] = planner.accounts;
    const { id } = planner.queue;
    expect((await planner.call('PATCH', `/v1/queues/${id}`, { account_ids: [carl] })).status).toBe(
      200,
    );
    const { status, body } = await planner.change(made.id, { caption: 'new' });
    expect([status, body.data]).toMatchObject([
      200,
      { caption: 'new', queue_id: id, scheduled_at: made.scheduled_at, results: [{}, {}] },
    ]);
    expect((await planner.change(made.id, { account_ids: [bob] })).status).toBe(200);
    expect(await planner.change(made.id, { queue_id: id })).toMatchObject(
      refused('platform_posts[0].account_id', 'not_in_queue'),
    );
  });

  test('refuses a deadline before the slot', async () => {
    const draft = await planner.create({ status: 'draft', publish_by: inSeconds(61) });
    const [slot] = await planner.slots(1);
    const { body } = await planner.change(draft.id, {
      queue_id: planner.queue.id,
      queue_position: 'last',
    });
    expect(Date.parse(slot!.at)).toBeGreaterThan(Date.now() + 60_000);
    expect(body.error.issues).toMatchObject([{ path: 'queue_id', code: 'too_far' }]);
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
  });
});

describe('a draft that names a queue', () => {
  const noneTaken = async () =>
    expect((await planner.slots(24)).every(({ post_id }) => post_id === null)).toBe(true);

  test('has the accounts of the queue and no slot, and gets one once it is scheduled', async () => {
    const { status, body } = await post({ status: 'draft' });
    expect(status).toBe(201);
    const { id, results } = body.data;
    const queue_id = planner.queue.id;
    expect(body.data).toMatchObject({ status: 'draft', queue_id, scheduled_at: null });
    expect(results).toMatchObject(
      planner.queue.account_ids.map((social_account_id) => ({ social_account_id })),
    );
    await planner.change(id, { caption: 'new', status: 'draft' });
    expect(await planner.read(id)).toMatchObject({ caption: 'new', queue_id });
    await noneTaken();
    const [slot] = await planner.slots(1);
    const changed = await planner.change(id, { queue_id });
    expect(changed.body.data).toMatchObject({ status: 'scheduled', scheduled_at: slot!.at });
    expect((await planner.slots(1))[0]!.post_id).toBe(id);
    expect(await changesOf(rest, id)).toEqual(['created', 'updated', 'scheduled']);
  });

  test('may name a paused or full one, which then gives it no slot', async () => {
    const slots = [{ weekday: 'mon', time: '09:00' }];
    const { id: queue_id } = await planner.createQueue({ slots });
    await planner.call('PATCH', `/v1/queues/${queue_id}`, { is_paused: true });
    const draft = { caption: 'hello', queue_id, status: 'draft' };
    const { body } = await planner.call('POST', '/v1/posts/validate', draft);
    expect(body.data).toEqual({ valid: true, errors: [], warnings: [] });
    const { id } = (await post({ queue_id, status: 'draft' })).body.data;
    const refusal = { status: 409, body: { error: { code: 'queue_paused' } } };
    expect(await planner.change(id, { queue_id })).toMatchObject(refusal);
  });

  test('is refused with other accounts, with a time and with an unknown queue', async () => {
    const [, , carl] = planner.accounts;
    const status = 'draft';
    expect(await post({ status, account_ids: [carl] })).toMatchObject(
      refused('account_ids[0]', 'not_in_queue'),
    );
    const at = inSeconds(3_600);
    expect(await post({ status, scheduled_at: at })).toMatchObject(
      refused('queue_id', 'both_times'),
    );
    expect(await post({ status, queue_id: 'que_no' })).toMatchObject(
      refused('queue_id', 'unknown_queue'),
    );
    const { id } = (await post({ status })).body.data;
    expect(await planner.change(id, { account_ids: [carl] })).toMatchObject(
      refused('account_ids[0]', 'not_in_queue'),
    );
    expect(await planner.change(id, { status, queue_id: 'que_no' })).toMatchObject(
      refused('queue_id', 'unknown_queue'),
    );
  });

  test.each([
    ['another time', (id: string) => planner.change(id, { scheduled_at: inSeconds(7_200) })],
    ['no time', (id: string) => planner.change(id, { scheduled_at: null })],
    ['its publication', (id: string) => planner.ask(id, 'publish')],
  ])('leaves the queue by %s', async (_, change) => {
    const { id } = (await post({ status: 'draft' })).body.data;
    expect((await change(id)).body.data.queue_id).toBeNull();
    await noneTaken();
  });

  test('comes of a scheduled post by `status: "draft"` with `queue_id`, which frees the slot', async () => {
    const made = await planner.enqueue();
    const changes = { status: 'draft', queue_id: planner.queue.id };
    const { body } = await planner.change(made.id, changes);
    expect(body.data).toMatchObject({ ...changes, scheduled_at: null });
    await noneTaken();
  });
});

describe('the slot', () => {
  test.each([
    ['canceled', (id: string) => planner.ask(id, 'cancel')],
    ['deleted', (id: string) => planner.delete(id)],
    ['published now', (id: string) => planner.ask(id, 'publish')],
  ])('is free once its post is %s', async (_, end) => {
    const made = await planner.enqueue();
    expect((await end(made.id)).status).toBeLessThan(300);
    expect((await planner.slots(1))[0]!.post_id).toBeNull();
    expect((await planner.enqueue()).scheduled_at).toBe(made.scheduled_at);
  });

  test('of a canceled post stays named as its queue, and a published-now post has none', async () => {
    const [one, two] = [await planner.enqueue(), await planner.enqueue()];
    expect((await planner.ask(one.id, 'cancel')).body.data.queue_id).toBe(planner.queue.id);
    expect((await planner.ask(two.id, 'publish')).body.data.queue_id).toBeNull();
  });
});
