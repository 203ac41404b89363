// Queues: created, read, changed and deleted.
import { describe, expect, test } from 'vitest';
import { useRest } from '../../support/app/rest.ts';
import { daily, usePlanner } from '../../support/queues/planner.ts';

const rest = useRest();
const planner = usePlanner(rest);

const plan = () => ({
  name: 'Mornings',
  timezone: 'europe/berlin',
  account_ids: [planner.accounts[0]],
  slots: [
    { weekday: 'sun', time: '09:00' },
    { weekday: 'mon', time: '17:30' },
    { weekday: 'mon', time: '09:00' },
    { weekday: 'mon', time: '09:00' },
  ],
});

const refused = (path: string, code: string) => ({
  status: 422,
  body: { error: { code: 'validation_error', issues: [{ path, code }] } },
});

describe('POST /v1/queues', () => {
  test('creates a queue with each slot once, from Monday on', async () => {
    const answer = await planner.call('POST', '/v1/queues', plan());
    expect(answer).toMatchObject({
      status: 201,
      body: {
        data: {
          environment: 'production',
          name: 'Mornings',
          timezone: 'Europe/Berlin',
          account_ids: [planner.accounts[0]],
          slots: [
            { weekday: 'mon', time: '09:00' },
            { weekday: 'mon', time: '17:30' },
            { weekday: 'sun', time: '09:00' },
          ],
          is_paused: false,
        },
      },
    });
    const { id } = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/v1/queues/${id}`);
    const read = await planner.call('GET', `/v1/queues/${id}`);
    expect(read.body.data).toEqual(answer.body.data);
    const { body } = await planner.call('GET', '/v1/queues?limit=1');
    expect(body.data).toEqual([answer.body.data]);
    expect(body.meta.has_more).toBe(true);
  });

  test.each([
    ['without slots', { slots: [] }, 'slots', 'too_small'],
    ['without accounts', { account_ids: [] }, 'account_ids', 'too_small'],
    [
      'with a time that no clock shows',
      { slots: daily('24:00') },
      'slots[0].time',
      'invalid_format',
    ],
    [
      'with an unknown weekday',
      { slots: [{ weekday: 'day', time: '09:00' }] },
      'slots[0].weekday',
      'invalid_value',
    ],
    [
      'in a zone that does not exist',
      { timezone: 'Europe/Nowhere' },
      'timezone',
      'invalid_timezone',
    ],
    ['in an offset', { timezone: '+02:00' }, 'timezone', 'invalid_timezone'],
    ['without a name', { name: '' }, 'name', 'too_small'],
    [
      'with an unknown account',
      { account_ids: ['sa_unknown'] },
      'account_ids[0]',
      'unknown_account',
    ],
  ])('refuses a queue %s', async (_, fields, path, code) => {
    const { body, status } = await planner.call('POST', '/v1/queues', { ...plan(), ...fields });
    expect(status).toBe(422);
    expect(body.error.issues[0]).toMatchObject({ path, code });
  });

  test('refuses more than 336 slots', async () => {
    const slots = Array.from({ length: 337 }, () => ({ weekday: 'mon', time: '09:00' }));
    const answer = await planner.call('POST', '/v1/queues', { ...plan(), slots });
    expect(answer).toMatchObject(refused('slots', 'too_big'));
  });

  test('refuses the account of another project, and one that is disconnected', async () => {
    const other = await rest.createTenant();
    const foreign = await rest.insertAccount(other.projectId);
    const lost = await rest.insertAccount(planner.projectId, { status: 'disconnected' });
    const account_ids = [planner.accounts[0], foreign, lost];
    const { body } = await planner.call('POST', '/v1/queues', { ...plan(), account_ids });
    expect(body.error.issues).toMatchObject([
      { path: 'account_ids[1]', code: 'unknown_account' },
      { path: 'account_ids[2]', code: 'account_not_active' },
    ]);
  });

  test('warns of another queue that has a slot for the same account at the same time', async () => {
    const first = await planner.createQueue({ slots: daily('08:10'), timezone: 'Etc/GMT-1' });
    const { body } = await planner.call('POST', '/v1/queues', {
      ...plan(),
      timezone: 'UTC',
      slots: daily('07:10'),
    });
    expect(body.warnings).toMatchObject([
      { path: 'slots', code: 'queues_coincide', queue_id: first.id },
    ]);
    const apart = { account_ids: [planner.accounts[2]] };
    const answer = await planner.call('PATCH', `/v1/queues/${body.data.id}`, apart);
    expect(answer.body.warnings).toEqual([]);
  });
});

describe('PATCH /v1/queues/:id', () => {
  test('changes the given fields only', async () => {
    const path = `/v1/queues/${planner.queue.id}`;
    const { body } = await planner.call('PATCH', path, { is_paused: true, name: 'Renamed' });
    const { updated_at, ...expected } = { ...planner.queue, is_paused: true, name: 'Renamed' };
    expect(body.data).toMatchObject(expected);
    expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(Date.parse(updated_at));
  });

  test('refuses an unknown zone, and a change of nothing', async () => {
    const path = `/v1/queues/${planner.queue.id}`;
    const bad = await planner.call('PATCH', path, { timezone: 'Mars/Base' });
    expect(bad).toMatchObject(refused('timezone', 'invalid_timezone'));
    expect(await planner.call('PATCH', path, {})).toMatchObject(
      refused('body', 'nothing_to_change'),
    );
  });
});

describe('DELETE /v1/queues/:id', () => {
  test('leaves posts with their times', async () => {
    const post = await planner.enqueue();
    const path = `/v1/queues/${planner.queue.id}`;
    expect((await planner.call('DELETE', path)).status).toBe(204);
    expect((await planner.call('GET', path)).status).toBe(404);
    const kept = await planner.read(post.id);
    expect(kept).toEqual(post);
    // Its content and its time can still be changed.
    const scheduled_at = new Date(Date.now() + 7_200_000).toISOString();
    const { body } = await planner.change(post.id, { scheduled_at, caption: 'later' });
    expect(body.data).toMatchObject({ scheduled_at, caption: 'later', queue_id: null });
  });
});

describe('a test key', () => {
  test('sees and makes only queues of sandbox accounts', async () => {
    const { projectId } = planner;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const sandbox = await rest.insertAccount(projectId, { platform: 'sandbox' });
    const asTest = (method: string, path: string, body?: unknown) =>
      rest.call(method, path, { key, ...(body !== undefined && { body }) });
    expect((await asTest('GET', `/v1/queues/${planner.queue.id}`)).status).toBe(404);
    const mixed = { ...plan(), account_ids: [sandbox, planner.accounts[0]] };
    expect(await asTest('POST', '/v1/queues', mixed)).toMatchObject(
      refused('account_ids[1]', 'unknown_account'),
    );
    const made = await asTest('POST', '/v1/queues', { ...plan(), account_ids: [sandbox] });
    expect(made.body.data.environment).toBe('test');
    const { body } = await asTest('GET', '/v1/queues');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.data.id]);
    const post = { caption: 'hello', queue_id: planner.queue.id };
    const other = await asTest('POST', '/v1/posts', post);
    expect(other).toMatchObject(refused('queue_id', 'unknown_queue'));
    const own = await asTest('POST', '/v1/posts', { ...post, queue_id: made.body.data.id });
    expect(own.status).toBe(201);
    // A production key can add an account, which hides the queue from test keys.
    await planner.call('PATCH', `/v1/queues/${made.body.data.id}`, {
      account_ids: mixed.account_ids,
    });
    expect((await asTest('GET', `/v1/queues/${made.body.data.id}`)).status).toBe(404);
  });

  test('does not get a queue whose posts it may not see', async () => {
    const { projectId } = planner;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const sandbox = await rest.insertAccount(projectId, { platform: 'sandbox' });
    const { scheduled_at, id } = await planner.enqueue();
    const path = `/v1/queues/${planner.queue.id}`;
    const changed = await planner.call('PATCH', path, { account_ids: [sandbox] });
    expect(changed.body.data.environment).toBe('production');
    for (const [method, end] of [
      ['GET', '/slots'],
      ['POST', '/reschedule'],
    ]) {
      expect((await rest.call(method!, `${path}${end}`, { key })).status).toBe(404);
    }
    const body = { caption: 'hello', queue_id: planner.queue.id, queue_position: 'first' };
    const answer = await rest.call('POST', '/v1/posts', { key, body });
    expect(answer).toMatchObject(refused('queue_id', 'unknown_queue'));
    expect((await planner.read(id)).scheduled_at).toBe(scheduled_at);
  });

  test('keeps the targets of a post in a queue that it does not see', async () => {
    const { projectId } = planner;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const sandboxes = [
      await rest.insertAccount(projectId, { platform: 'sandbox' }),
      await rest.insertAccount(projectId, { platform: 'sandbox' }),
    ];
    const [ada] = planner.accounts;
    const queue = await planner.createQueue({ account_ids: [ada, sandboxes[0]] });
    const post = await planner.enqueue({ queue_id: queue.id, account_ids: [sandboxes[0]] });
    const body = { account_ids: [sandboxes[1]] };
    const answer = await rest.call('PATCH', `/v1/posts/${post.id}`, { key, body });
    expect(answer).toMatchObject(refused('account_ids[0]', 'not_in_queue'));
  });
});

describe('GET /v1/queues/:id/slots', () => {
  test('lists all slots of a period with their posts, by the clock of the zone', async () => {
    const queue = await planner.createQueue({ slots: daily('09:00'), timezone: 'Europe/Berlin' });
    const period = 'from=2027-03-27T00:00:00Z&to=2027-03-30T00:00:00Z';
    const { body } = await planner.call('GET', `/v1/queues/${queue.id}/slots?${period}`);
    expect(body.data).toEqual([
      { at: '2027-03-27T08:00:00.000Z', local: '2027-03-27T09:00', post_id: null },
      { at: '2027-03-28T07:00:00.000Z', local: '2027-03-28T09:00', post_id: null },
      { at: '2027-03-29T07:00:00.000Z', local: '2027-03-29T09:00', post_id: null },
    ]);
  });

  test('lists the slots of the next seven days by default', async () => {
    const queue = await planner.createQueue({ slots: daily('09:00') });
    const post = await planner.enqueue({ queue_id: queue.id });
    const { body } = await planner.call('GET', `/v1/queues/${queue.id}/slots`);
    expect(body.data).toHaveLength(7);
    const taken = body.data.filter(({ post_id }: { post_id: string | null }) => post_id !== null);
    expect(taken).toEqual([
      { at: post.scheduled_at, local: post.scheduled_at!.slice(0, 16), post_id: post.id },
    ]);
  });

  test('keeps listing the slot of a post that left the plan', async () => {
    const queue = await planner.createQueue({ slots: daily('09:00') });
    const post = await planner.enqueue({ queue_id: queue.id });
    await planner.call('PATCH', `/v1/queues/${queue.id}`, { slots: daily('10:00') });
    const { body } = await planner.call('GET', `/v1/queues/${queue.id}/slots`);
    expect(body.data).toHaveLength(8);
    expect(body.data).toContainEqual({
      at: post.scheduled_at,
      local: post.scheduled_at!.slice(0, 16),
      post_id: post.id,
    });
  });

  test('refuses a period of more than 62 days, and one that ends before it starts', async () => {
    const path = `/v1/queues/${planner.queue.id}/slots`;
    const from = '2027-01-01T00:00:00Z';
    const far = await planner.call('GET', `${path}?from=${from}&to=2027-03-05T00:00:00Z`);
    expect(far).toMatchObject(refused('to', 'too_far'));
    const bent = await planner.call('GET', `${path}?from=${from}&to=2026-12-01T00:00:00Z`);
    expect(bent).toMatchObject(refused('from', 'not_before_to'));
  });
});
