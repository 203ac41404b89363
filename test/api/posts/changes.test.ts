// Changing the content of a draft or a scheduled post. The changed post is checked as a whole.
import { describe, expect, test } from 'vitest';
import { changesOf, inSeconds, useAuthor } from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);

const refused = (status: number, issue: object) => ({
  status,
  body: { error: { code: 'validation_error', issues: [issue] } },
});

describe('PATCH /v1/posts/:id: the content', () => {
  test('changes the given fields, and keeps the others and the targets', async () => {
    const draft = await author.create({ status: 'draft', metadata: { a: '1' } });
    const answer = await author.change(draft.id, { caption: 'changed' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      ...draft,
      caption: 'changed',
      results: [{}, {}],
      revision: draft.revision + 1,
      updated_at: expect.any(String),
    });
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

  test('replaces all targets by targets with their own content, and keeps that content later', async () => {
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
    expect(await author.change(id, { media_files: [] })).toMatchObject(
      refused(422, { path: 'media_files', code: 'unknown_field' }),
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
    const platform_posts = [{ account_id: author.accounts[0] }];
    expect(await author.change(id, { account_ids, platform_posts })).toMatchObject(
      refused(422, { path: 'platform_posts', code: 'both_target_forms' }),
    );
    const holes = [1, 3].map((thread_position) => ({
      account_id: author.accounts[0],
      thread_position,
    }));
    expect((await author.change(id, { platform_posts: holes })).status).toBe(422);
    expect((await author.read(id)).results).toHaveLength(2);
  });

  test('warns of a target that stays if its account was disconnected, and refuses to publish it', async () => {
    const { id } = await author.create({ status: 'draft' });
    const path = `/v1/accounts/${author.accounts[1]}`;
    await rest.call('DELETE', path, { key: author.key });
    const issue = { path: 'platform_posts[1].account_id', code: 'account_not_active' };
    expect(await author.change(id, { caption: 'changed' })).toMatchObject({
      status: 200,
      body: { warnings: [issue] },
    });
    expect(await author.ask(id, 'publish')).toMatchObject(refused(422, issue));
    const scheduled_at = inSeconds(3_600);
    expect(await author.change(id, { scheduled_at })).toMatchObject(refused(422, issue));
    const account_ids = [author.accounts[0]];
    expect((await author.change(id, { account_ids })).status).toBe(200);
  });

  test('is not found with a test key that would reach a real network', async () => {
    const { id } = await author.create({ status: 'draft' });
    const { projectId } = author;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const error = { code: 'not_found' };
    const body = { caption: 'changed' };
    expect(await rest.call('PATCH', `/v1/posts/${id}`, { key, body })).toMatchObject({
      status: 404,
      body: { error },
    });
    expect(await rest.call('POST', `/v1/posts/${id}/publish`, { key })).toMatchObject({
      status: 404,
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
