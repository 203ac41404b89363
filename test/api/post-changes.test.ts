// Changing a draft or a scheduled post: its content, its targets, its time; publishing and deleting it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  changesOf,
  claim,
  claimAs,
  createAuthor,
  eventsOf,
  inSeconds,
  type Author,
} from '../support/posts.ts';
import { createTestRest, type TestRest } from '../support/rest.ts';

let rest: TestRest;
let author: Author;

beforeAll(async () => {
  rest = await createTestRest({ FANFARE_PREVIEW_EVENTS: 'true' });
});
afterAll(() => rest[Symbol.asyncDispose]());
beforeEach(async () => {
  author = await createAuthor(rest);
});

const refused = (status: number, issue: object) => ({
  status,
  body: { error: { code: 'validation_error', issues: [issue] } },
});

function runOf(postId: string) {
  return rest.context.db
    .selectFrom('posts')
    .select(['current_run', 'workflow_id'])
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
}

async function startsOf(workflowId: string | null) {
  const row = await rest.context.db
    .selectFrom('outbox')
    .select('start_at')
    .where('workflow_id', '=', workflowId!)
    .executeTakeFirstOrThrow();
  return row.start_at?.toISOString() ?? null;
}

describe('PATCH /v1/posts/:id: the content', () => {
  test('changes what is named, and keeps the rest and the targets', async () => {
    const draft = await author.create({ status: 'draft', metadata: { a: '1' } });
    const answer = await author.change(draft.id, { caption: 'changed' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ ...draft, caption: 'changed', results: [{}, {}] });
    expect(answer.body.data.results).toMatchObject(
      draft.results.map(({ id }) => ({ id, caption: 'changed' })),
    );
    const { body } = await author.change(draft.id, { metadata: { b: '2' }, media_urls: [] });
    expect(body.data).toMatchObject({ caption: 'changed', metadata: { b: '2' } });
    expect(await author.read(draft.id)).toEqual(body.data);
    expect(await changesOf(rest, draft.id)).toEqual(['created', 'updated', 'updated']);
  });

  test('replaces all targets by accounts', async () => {
    const draft = await author.create({ status: 'draft' });
    const { body } = await author.change(draft.id, { account_ids: [author.accounts[2]] });
    expect(body.data.results).toMatchObject([
      { social_account_id: author.accounts[2], status: 'pending', attempts: 0 },
    ]);
  });

  test('replaces all targets by targets with content of their own, and keeps that', async () => {
    const draft = await author.create({ status: 'draft' });
    const [first, second] = author.accounts;
    const platform_posts = [
      { account_id: first, thread_position: 1, caption: 'one', first_comment: 'more' },
      { account_id: first, thread_position: 2 },
      { account_id: second, platform_options: {} },
    ];
    const changed = await author.change(draft.id, { platform_posts });
    const targets = [
      { caption: 'one', thread_position: 1, first_comment: { text: 'more', status: 'pending' } },
      { caption: 'hello', thread_position: 2, first_comment: null },
      { social_account_id: second, thread_position: null },
    ];
    expect(changed.body.data.results).toMatchObject(targets);
    const { body } = await author.change(draft.id, { metadata: { a: '1' } });
    expect(body.data.results).toEqual(changed.body.data.results);
  });

  test('refuses a body that changes nothing, and fields that it does not know', async () => {
    const { id } = await author.create({ status: 'draft' });
    expect(await author.change(id, {})).toMatchObject(
      refused(422, { path: 'body', code: 'nothing_to_change' }),
    );
    expect(await author.change(id, { media_ids: [] })).toMatchObject(
      refused(422, { path: 'media_ids', code: 'unknown_field' }),
    );
    expect(await author.change(id, { status: 'scheduled' })).toMatchObject(
      refused(422, { path: 'status', code: 'invalid_value' }),
    );
    expect(await author.change(id, { caption: null })).toMatchObject(
      refused(422, { path: 'caption', code: 'invalid_type' }),
    );
  });

  test('checks a new caption against the targets that stay', async () => {
    const { id } = await author.create({ status: 'draft' });
    const answer = await author.change(id, { caption: 'a'.repeat(301) });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues[0]).toMatchObject({ path: 'caption', limit: 300 });
    expect((await author.read(id)).caption).toBe('hello');
    const own = author.accounts.map((account_id) => ({ account_id, caption: 'short' }));
    const withOwn = await author.create({ status: 'draft', platform_posts: own });
    expect((await author.change(withOwn.id, { caption: 'a'.repeat(301) })).status).toBe(200);
  });

  test('checks new targets like those of a new post', async () => {
    const { id } = await author.create({ status: 'draft' });
    const account_ids = [author.accounts[0], 'sa_unknown'];
    expect(await author.change(id, { account_ids })).toMatchObject(
      refused(422, { path: 'account_ids[1]', code: 'unknown_account' }),
    );
    expect(await author.change(id, { account_ids, platform_posts: [] })).toMatchObject(
      refused(422, { path: 'platform_posts', code: 'both_target_forms' }),
    );
    expect(await author.change(id, { account_ids: [] })).toMatchObject(
      refused(422, { path: 'account_ids', code: 'no_targets' }),
    );
    const holes = [1, 3].map((thread_position) => ({
      account_id: author.accounts[0],
      thread_position,
    }));
    expect((await author.change(id, { platform_posts: holes })).status).toBe(422);
    expect((await author.read(id)).results).toHaveLength(2);
  });

  test('refuses a target that stays but was disconnected since', async () => {
    const { id } = await author.create({ status: 'draft' });
    const path = `/v1/accounts/${author.accounts[1]}`;
    await rest.call('DELETE', path, { key: author.key });
    const issue = { path: 'platform_posts[1].account_id', code: 'account_not_active' };
    expect(await author.change(id, { caption: 'changed' })).toMatchObject(refused(422, issue));
    expect(await author.ask(id, 'publish')).toMatchObject(refused(422, issue));
    const account_ids = [author.accounts[0]];
    expect((await author.change(id, { account_ids })).status).toBe(200);
  });

  test('refuses a test key that would reach a real network', async () => {
    const { id } = await author.create({ status: 'draft' });
    const { projectId } = author;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const error = { code: 'insufficient_scope' };
    const body = { caption: 'changed' };
    expect(await rest.call('PATCH', `/v1/posts/${id}`, { key, body })).toMatchObject({
      status: 403,
      body: { error },
    });
    expect(await rest.call('POST', `/v1/posts/${id}/publish`, { key })).toMatchObject({
      status: 403,
      body: { error },
    });
  });

  test('refuses a post that has begun or ended, and says its state', async () => {
    const { id } = await author.create();
    expect(await author.change(id, { caption: 'late' })).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'conflict',
          message: 'The post is being published: only a draft or a scheduled post can be changed.',
          post_status: 'pending',
        },
      },
    });
    await author.ask(id, 'cancel');
    const { body } = await author.change(id, { caption: 'late' });
    expect(body.error.message).toMatch(/^The post is canceled: only a draft/);
  });
});

describe('PATCH /v1/posts/:id: the time', () => {
  test('schedules a draft', async () => {
    const draft = await author.create({ status: 'draft' });
    const scheduled_at = inSeconds(3_600);
    const { body } = await author.change(draft.id, { scheduled_at });
    expect(body.data).toMatchObject({ status: 'scheduled', scheduled_at });
    const { current_run, workflow_id } = await runOf(draft.id);
    expect(current_run).toBe(1);
    expect(await startsOf(workflow_id)).toBe(scheduled_at);
    expect(await changesOf(rest, draft.id)).toEqual(['created', 'scheduled']);
    expect(await eventsOf(rest, draft.id)).toMatchObject([
      { kind: 'post.scheduled', data: { status: 'scheduled', scheduled_at } },
    ]);
  });

  test('reschedules by a new run, and whatever acts for the old one is superseded', async () => {
    const post = await author.create({ scheduled_at: inSeconds(3_600) });
    const old = await runOf(post.id);
    const scheduled_at = inSeconds(7_200);
    const { body } = await author.change(post.id, { scheduled_at, caption: 'changed' });
    expect(body.data).toMatchObject({ status: 'scheduled', scheduled_at, caption: 'changed' });
    const { current_run, workflow_id } = await runOf(post.id);
    expect(current_run).toBe(old.current_run + 1);
    expect(await startsOf(workflow_id)).toBe(scheduled_at);
    expect(await claimAs(rest.context, post.id, old.current_run, old.workflow_id!)).toBe(false);
    expect(await claim(rest, post.id)).toBe(true);
    expect(await changesOf(rest, post.id)).toEqual(['created', 'updated', 'rescheduled']);
    const events = await eventsOf(rest, post.id);
    expect(events.map(({ data }) => data.scheduled_at)).toEqual([post.scheduled_at, scheduled_at]);
  });

  test('keeps the run and the time when only the content changes, however near the time is', async () => {
    const post = await author.create({ scheduled_at: inSeconds(61) });
    const before = await runOf(post.id);
    await rest.context.db
      .updateTable('posts')
      .set({ scheduled_at: new Date() })
      .where('id', '=', post.id)
      .execute();
    const answer = await author.change(post.id, { caption: 'changed' });
    expect(answer).toMatchObject({ status: 200, body: { data: { status: 'scheduled' } } });
    expect(await runOf(post.id)).toEqual(before);
    expect(await eventsOf(rest, post.id)).toHaveLength(1);
  });

  test.each([
    ['by null, without a time', { scheduled_at: null }, () => null],
    ['by its status, with the time it had', { status: 'draft' }, (at: string) => at],
  ])('makes a scheduled post a draft %s', async (_, changes, time) => {
    const post = await author.create({ scheduled_at: inSeconds(3_600) });
    const old = await runOf(post.id);
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

  test('gives a draft a time and keeps it a draft when both are said', async () => {
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
      refused(422, { path: 'scheduled_at', code: 'too_far' }),
    );
    expect(await author.change(id, { scheduled_at: 'tomorrow' })).toMatchObject(
      refused(422, { path: 'scheduled_at', code: 'invalid_format' }),
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
    const old = await runOf(id);
    const answer = await author.ask(id, 'publish');
    expect(answer).toMatchObject({
      status: 202,
      body: { data: { id, status: 'pending', scheduled_at: null } },
    });
    const { current_run, workflow_id } = await runOf(id);
    expect(current_run).toBe(old.current_run + 1);
    expect(await startsOf(workflow_id)).toBeNull();
    expect(await claim(rest, id)).toBe(true);
    expect(await changesOf(rest, id)).toEqual(['created', 'submitted']);
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
    expect((await runOf(id)).current_run).toBe(1);
  });
});

describe('DELETE /v1/posts/:id', () => {
  test.each([
    ['draft', { status: 'draft' }],
    ['scheduled post', { scheduled_at: inSeconds(3_600) }],
  ])('deletes a %s with all that belongs to it', async (_, post) => {
    const { id } = await author.create(post);
    const { current_run, workflow_id } = await runOf(id);
    expect((await author.delete(id)).status).toBe(204);
    expect((await author.delete(id)).status).toBe(404);
    expect(await author.published(author.accounts[0])).toBe(0);
    expect((await changesOf(rest, id)).at(-1)).toBe('deleted');
    expect(await claimAs(rest.context, id, current_run, workflow_id ?? '')).toBe(false);
  });

  test('deletes a post that has ended, and its events stay', async () => {
    const { id } = await author.create({ scheduled_at: inSeconds(3_600) });
    await author.ask(id, 'cancel');
    expect((await author.delete(id)).status).toBe(204);
    expect(await eventsOf(rest, id)).toHaveLength(1);
  });

  test('refuses a post that is being published', async () => {
    const { id } = await author.create();
    expect(await author.delete(id)).toMatchObject({
      status: 409,
      body: {
        error: {
          message: 'The post is being published: cancel it, or wait until it has ended.',
        },
      },
    });
    expect((await author.read(id)).status).toBe('pending');
  });
});
