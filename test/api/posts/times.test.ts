// The time of a post: scheduled, rescheduled, none; published now; its deadline.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  changesOf,
  claim,
  claimAs,
  createPartial,
  eventsOf,
  inSeconds,
  runOf,
  useAuthor,
} from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);

const refused = (status: number, issue: object) => ({
  status,
  body: { error: { code: 'validation_error', issues: [issue] } },
});

async function startsOf(workflowId: string | null) {
  const row = await rest.context.db
    .selectFrom('outbox')
    .select('start_at')
    .where('workflow_id', '=', workflowId!)
    .executeTakeFirstOrThrow();
  return row.start_at?.toISOString() ?? null;
}

describe('PATCH /v1/posts/:id: the time', () => {
  test('schedules a draft', async () => {
    const draft = await author.create({ status: 'draft' });
    const scheduled_at = inSeconds(3_600);
    const { body } = await author.change(draft.id, { scheduled_at });
    expect(body.data).toMatchObject({ status: 'scheduled', scheduled_at });
    const { current_run, workflow_id } = await runOf(rest, draft.id);
    expect(current_run).toBe(1);
    expect(await startsOf(workflow_id)).toBe(scheduled_at);
    expect(await changesOf(rest, draft.id)).toEqual(['created', 'scheduled']);
    expect(await eventsOf(rest, draft.id)).toMatchObject([
      { kind: 'post.scheduled', data: { status: 'scheduled', scheduled_at } },
    ]);
  });

  test('reschedules by a new run, which supersedes the old one', async () => {
    const post = await author.create({ scheduled_at: inSeconds(3_600) });
    const old = await runOf(rest, post.id);
    const scheduled_at = inSeconds(7_200);
    const { body } = await author.change(post.id, { scheduled_at, caption: 'changed' });
    expect(body.data).toMatchObject({ status: 'scheduled', scheduled_at, caption: 'changed' });
    const { current_run, workflow_id } = await runOf(rest, post.id);
    expect(current_run).toBe(old.current_run + 1);
    expect(await startsOf(workflow_id)).toBe(scheduled_at);
    expect(await claimAs(rest.context, post.id, old.current_run, old.workflow_id!)).toBe(false);
    expect(await claim(rest, post.id)).toBe(true);
    expect(await changesOf(rest, post.id)).toEqual([
      'created',
      'updated',
      'rescheduled',
      'started',
    ]);
    const events = await eventsOf(rest, post.id);
    expect(events.map(({ data }) => data.scheduled_at)).toEqual([post.scheduled_at, scheduled_at]);
  });

  test('keeps the run and the time when only the content changes, however near the time is', async () => {
    const post = await author.create({ scheduled_at: inSeconds(61) });
    const before = await runOf(rest, post.id);
    await rest.context.db
      .updateTable('posts')
      .set({ scheduled_at: new Date() })
      .where('id', '=', post.id)
      .execute();
    const answer = await author.change(post.id, { caption: 'changed' });
    expect(answer).toMatchObject({ status: 200, body: { data: { status: 'scheduled' } } });
    expect(await runOf(rest, post.id)).toEqual(before);
    expect(await eventsOf(rest, post.id)).toHaveLength(1);
  });

  test.each([
    ['by null, without a time', { scheduled_at: null }, () => null],
    ['by its status, with the time it had', { status: 'draft' }, (at: string) => at],
  ])('makes a scheduled post a draft %s', async (_, changes, time) => {
    const post = await author.create({ scheduled_at: inSeconds(3_600) });
    const old = await runOf(rest, post.id);
    const { body } = await author.change(post.id, changes);
    expect(body.data).toMatchObject({ status: 'draft', scheduled_at: time(post.scheduled_at!) });
    expect(await claimAs(rest.context, post.id, old.current_run, old.workflow_id!)).toBe(false);
    expect(await author.published(author.accounts[0])).toBe(0);
    expect(await changesOf(rest, post.id)).toEqual(['created', 'unscheduled']);
    const again = await author.change(post.id, { scheduled_at: inSeconds(3_600) });
    expect(again.body.data.status).toBe('scheduled');
    expect(await claimAs(rest.context, post.id, old.current_run, old.workflow_id!)).toBe(false);
    expect(await claim(rest, post.id)).toBe(true);
  });

  test('gives a draft a time and keeps it a draft if both are requested', async () => {
    const { id } = await author.create({ status: 'draft' });
    const scheduled_at = inSeconds(3_600);
    const { body } = await author.change(id, { scheduled_at, status: 'draft' });
    expect(body.data).toMatchObject({ status: 'draft', scheduled_at });
    expect(await eventsOf(rest, id)).toEqual([]);
    const { body: without } = await author.change(id, { scheduled_at: null });
    expect(without.data).toMatchObject({ status: 'draft', scheduled_at: null });
  });

  test('refuses a time out of range and leaves the post as it was', async () => {
    const { id } = await author.create({ status: 'draft' });
    expect(await author.change(id, { scheduled_at: inSeconds(30), caption: 'x' })).toMatchObject(
      refused(422, { path: 'scheduled_at', code: 'too_soon', limit: 60 }),
    );
    expect(await author.change(id, { scheduled_at: inSeconds(367 * 86_400) })).toMatchObject(
      refused(422, {
        path: 'scheduled_at',
        code: 'too_far',
        message: 'must be at most 366 days in the future',
        limit: 366,
      }),
    );
    expect(await author.change(id, { scheduled_at: 'tomorrow' })).toMatchObject(
      refused(422, {
        path: 'scheduled_at',
        code: 'invalid_format',
        message: 'must be a time with a time zone as in RFC 3339, such as 2026-01-31T12:00:00Z',
      }),
    );
    expect(await author.read(id)).toMatchObject({ caption: 'hello', status: 'draft' });
  });
});

describe('POST /v1/posts/:id/publish', () => {
  test.each([
    ['draft', { status: 'draft' }],
    ['scheduled post', { scheduled_at: inSeconds(3_600) }],
  ])('publishes a %s now, by a new run', async (_, post) => {
    const { id } = await author.create(post);
    const old = await runOf(rest, id);
    const answer = await author.ask(id, 'publish');
    expect(answer).toMatchObject({
      status: 202,
      body: { data: { id, status: 'pending', scheduled_at: null } },
    });
    const { current_run, workflow_id } = await runOf(rest, id);
    expect(current_run).toBe(old.current_run + 1);
    expect(await startsOf(workflow_id)).toBeNull();
    expect(await claim(rest, id)).toBe(true);
    expect(await changesOf(rest, id)).toEqual(['created', 'submitted', 'started']);
  });

  test('refuses a post that is being published, and says so', async () => {
    const { id } = await author.create();
    const { status, body } = await author.ask(id, 'publish');
    expect(status).toBe(409);
    expect(body.error.message).toMatch(/^The post is being published: only a draft/);
  });

  test('answers a repeat with the same Idempotency-Key as the first time', async () => {
    const { id } = await author.create({ status: 'draft' });
    const headers = { 'Idempotency-Key': `publish-${id}` };
    const first = await author.ask(id, 'publish', headers);
    const second = await author.ask(id, 'publish', headers);
    expect(second).toMatchObject({ status: 202, body: { data: first.body.data } });
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect((await runOf(rest, id)).current_run).toBe(1);
  });
});

const tooSoon = {
  status: 422,
  body: {
    error: {
      code: 'validation_error',
      issues: [{ path: 'publish_by', code: 'too_soon', actual: expect.any(String) }],
    },
  },
};
const passed = {
  status: 409,
  body: { error: { code: 'conflict', message: 'The deadline of the post has passed.' } },
};

function create(fields: Record<string, unknown>) {
  const { key, accounts } = author;
  const body = { caption: 'hello', account_ids: [accounts[0]], ...fields };
  return rest.call('POST', '/v1/posts', { key, body });
}

/** Moves the deadline into the past. */
async function letPass(id: string): Promise<void> {
  const publish_by = sql<Date>`now() - interval '1 s'`;
  await rest.context.db.updateTable('posts').set({ publish_by }).where('id', '=', id).execute();
}

describe('POST /v1/posts with publish_by', () => {
  test('shows the deadline, or null', async () => {
    const publish_by = inSeconds(600);
    expect((await create({ publish_by })).body.data.publish_by).toBe(publish_by);
    expect((await create({ caption: 'another' })).body.data.publish_by).toBeNull();
  });

  test.each([
    ['in the past', () => ({ publish_by: inSeconds(-1) })],
    ['before scheduled_at', () => ({ publish_by: inSeconds(600), scheduled_at: inSeconds(700) })],
    ['of a draft in the past', () => ({ publish_by: inSeconds(-1), status: 'draft' })],
  ])('refuses a time %s', async (_, fields) => {
    expect(await create(fields())).toMatchObject(tooSoon);
  });

  test('refuses a value that is not a time', async () => {
    const { body } = await create({ publish_by: 'soon' });
    expect(body.error.issues).toMatchObject([{ path: 'publish_by' }]);
  });
});

describe('PATCH /v1/posts/:id: the deadline', () => {
  test('sets another deadline, and null removes it', async () => {
    const { id } = await author.create({ status: 'draft', publish_by: inSeconds(600) });
    const publish_by = inSeconds(900);
    expect((await author.change(id, { publish_by })).body.data.publish_by).toBe(publish_by);
    expect((await author.change(id, { caption: 'more' })).body.data.publish_by).toBe(publish_by);
    expect((await author.change(id, { publish_by: null })).body.data.publish_by).toBeNull();
  });

  test('refuses a time of publication after the deadline', async () => {
    const { id } = await author.create({ status: 'draft', publish_by: inSeconds(600) });
    expect(await author.change(id, { scheduled_at: inSeconds(700) })).toMatchObject(
      refused(422, { path: 'scheduled_at', code: 'too_far' }),
    );
    const both = { scheduled_at: inSeconds(700), publish_by: inSeconds(600) };
    expect(await author.change(id, both)).toMatchObject(tooSoon);
    const later = { scheduled_at: inSeconds(700), publish_by: inSeconds(800) };
    expect((await author.change(id, later)).body.data).toMatchObject(later);
  });
});

describe('a deadline that has passed', () => {
  test('refuses to publish a draft', async () => {
    const { id } = await author.create({ status: 'draft', publish_by: inSeconds(600) });
    await letPass(id);
    expect(await author.ask(id, 'publish')).toMatchObject(passed);
    expect(await author.read(id)).toMatchObject({ status: 'draft' });
    await author.change(id, { publish_by: null });
    expect(await author.ask(id, 'publish')).toMatchObject({ status: 202 });
  });

  test('refuses to retry a target', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    await letPass(id);
    expect(await author.ask(id, `results/${resultIds[1]}/retry`)).toMatchObject(passed);
    expect(await author.read(id)).toMatchObject({ status: 'partial' });
  });
});

describe('publish_within_s', () => {
  test('is the deadline of posts without one, counted from the time when they are due', async () => {
    const { key } = author;
    const body = { publish_within_s: 60 };
    const project = await rest.call('PATCH', '/v1/project', { key, body });
    expect(project.body.data.publish_within_s).toBe(60);
    const { id, resultIds } = await createPartial(rest, author);
    const due_at = sql<Date>`now() - interval '61 s'`;
    await rest.context.db.updateTable('posts').set({ due_at }).where('id', '=', id).execute();
    expect(await author.ask(id, `results/${resultIds[1]}/retry`)).toMatchObject(passed);
    await rest.call('PATCH', '/v1/project', { key, body: { publish_within_s: null } });
    expect(await author.ask(id, `results/${resultIds[1]}/retry`)).toMatchObject({ status: 202 });
  });
});
