// Edits and removals of published posts through the whole program, at the sandbox.
import { describe, expect, test, vi } from 'vitest';
import type { Post, PostResult } from '../../../../schema/posts/posts.ts';
import { useApp } from '../../../support/app/app.ts';
import { ask, askRefused } from '../../../support/graphql/graphql.ts';

const app = useApp();
const patience = { timeout: 20_000, interval: 50 };

async function publish(target: Record<string, unknown> = {}, others: object[] = []) {
  const { id } = await app.tenant.connectSandbox('ada');
  const created = await app.tenant.createPost({
    caption: 'Helo',
    platform_posts: [
      { account_id: id, ...target },
      ...others.map((other) => ({ account_id: id, ...other })),
    ],
  });
  const post = await app.tenant.waitForPost(created.id);
  const result = post.results[0]!;
  return { post, result, path: `/v1/posts/${post.id}/results/${result.id}` };
}

const readPost = async (id: string) => (await app.api.get(`/v1/posts/${id}`)).body.data as Post;

function waitForChange({ id }: Post, index = 0): Promise<PostResult> {
  return vi.waitFor(async () => {
    const result = (await readPost(id)).results[index]!;
    expect(result.changes.at(-1)?.status).not.toBe('pending');
    return result;
  }, patience);
}

const listPosts = (externalId: string | null) =>
  app.context.db
    .selectFrom('sandbox_posts')
    .selectAll()
    .where('id', '=', externalId ?? '')
    .execute();

describe('POST …/unpublish', () => {
  test('removes the post, and answers 202 with the result', async () => {
    const { post, result, path } = await publish();
    const readUsage = async () =>
      (await app.api.get(`/v1/accounts/${result.social_account_id}/usage`)).body.data.published;
    const used = await readUsage();
    expect(used).toBeGreaterThan(0);
    const { status, body, headers } = await app.api.post(`${path}/unpublish`);
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`/v1/posts/${post.id}`);
    expect(body.data).toMatchObject({
      id: result.id,
      status: 'published',
      changes: [{ type: 'unpublish', status: 'pending', next_action: 'none', ended_at: null }],
    });
    const ended = await waitForChange(post);
    expect(ended).toMatchObject({
      status: 'unpublished',
      changes: [{ status: 'succeeded', error_code: null }],
    });
    expect(await listPosts(result.external_id)).toEqual([]);
    expect((await readPost(post.id)).status).toBe('published');
    expect(await readUsage()).toBe(used);
    expect(await app.api.post(`${path}/retry`)).toMatchObject({ status: 409 });
    expect(await app.api.post(`${path}/unpublish`)).toMatchObject({ status: 409 });
  });

  test('of two requests at once, one makes the call and the other is refused', async () => {
    const { post, path } = await publish();
    const answers = await Promise.all([
      app.api.post(`${path}/unpublish`),
      app.api.post(`${path}/unpublish`),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
    const { changes } = await waitForChange(post);
    expect(changes).toHaveLength(1);
  });

  test('removes the first comment before its post', async () => {
    const { post, result, path } = await publish({ first_comment: 'First!' });
    expect((await app.api.post(`${path}/unpublish`)).status).toBe(202);
    const ended = await waitForChange(post);
    expect(ended.first_comment).toMatchObject({ status: 'unpublished' });
    expect(await listPosts(result.external_id)).toEqual([]);
    expect(await listPosts(result.first_comment!.external_id)).toEqual([]);
  });

  test('a refused removal leaves the post public, and tells to look at the network', async () => {
    const { post, result, path } = await publish({
      platform_options: { change_outcome: 'rejected' },
    });
    await app.api.post(`${path}/unpublish`);
    expect(await waitForChange(post)).toMatchObject({
      status: 'published',
      changes: [{ status: 'failed', error_code: 'rejected', next_action: 'check_network' }],
    });
    expect(await listPosts(result.external_id)).toHaveLength(1);
  });

  test('removes only the first comment, by its ID', async () => {
    const { post, result } = await publish({ first_comment: 'First!' });
    const path = `/v1/posts/${post.id}/results/${result.first_comment!.id}/unpublish`;
    expect((await app.api.post(path)).status).toBe(202);
    await vi.waitFor(async () => {
      const [{ status, first_comment } = result] = (await readPost(post.id)).results;
      expect([status, first_comment!.status]).toEqual(['published', 'unpublished']);
    }, patience);
  });

  test('takes a thread from its last part', async () => {
    const { post, path } = await publish({ thread_position: 0 }, [{ thread_position: 1 }]);
    const refused = await app.api.post(`${path}/unpublish`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'has_replies' } } });
    const last = post.results[1]!.id;
    await app.api.post(`/v1/posts/${post.id}/results/${last}/unpublish`);
    await waitForChange(post, 1);
    expect((await app.api.post(`${path}/unpublish`)).status).toBe(202);
    expect((await waitForChange(post)).status).toBe('unpublished');
  });

  test('sends the opt-in event with the result', async () => {
    const { path, post, result } = await publish();
    await app.api.post(`${path}/unpublish`);
    await waitForChange(post);
    const events = await app.api.get('/v1/events?event=post.unpublished');
    expect(events.body.data[0].data).toMatchObject({ id: post.id, result_id: result.id });
  });
});

describe('PATCH …/results/:result_id', () => {
  test('edits the text at the network', async () => {
    const { post, result, path } = await publish();
    const { status } = await app.api.patch(path, { caption: 'Hello' });
    expect(status).toBe(202);
    const ended = await waitForChange(post);
    expect(ended).toMatchObject({ caption: 'Hello', changes: [{ type: 'edit' }] });
    expect(ended.edited_at).not.toBeNull();
    expect(await listPosts(result.external_id)).toMatchObject([{ caption: 'Hello' }]);
  });

  test('a lost answer is looked up', async () => {
    const { post, result, path } = await publish({
      platform_options: { change_outcome: 'answer_lost' },
    });
    await app.api.patch(path, { caption: 'Hello' });
    expect(await waitForChange(post)).toMatchObject({ changes: [{ status: 'succeeded' }] });
    expect(await listPosts(result.external_id)).toMatchObject([{ caption: 'Hello' }]);
  });

  test('is refused for a first comment', async () => {
    const { post, result } = await publish({ first_comment: 'First!' });
    const path = `/v1/posts/${post.id}/results/${result.first_comment!.id}`;
    const refused = await app.api.patch(path, { caption: 'Hello' });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(refused.body.error.message).toContain('first comments');
  });

  test('a refusal fails the change, and the text stays', async () => {
    const { post, path } = await publish({ platform_options: { change_outcome: 'rejected' } });
    await app.api.patch(path, { caption: 'Hello' });
    expect(await waitForChange(post)).toMatchObject({
      caption: 'Helo',
      edited_at: null,
      changes: [{ status: 'failed', error_code: 'rejected', next_action: 'edit_content' }],
    });
  });

  test.each([
    ['an empty body', {}, 'body', 'nothing_to_change'],
    [
      'an option that can not be edited',
      { platform_options: { delay_ms: 5 } },
      'platform_options.delay_ms',
      'not_editable',
    ],
    [
      'an unknown option',
      { platform_options: { nope: 5 } },
      'platform_options.nope',
      'unknown_field',
    ],
    [
      'media of another target',
      { media: [{ id: 'med_1', alt_text: 'a' }] },
      'media[0].id',
      'unknown_media',
    ],
    ['a text that is too long', { caption: 'a'.repeat(5_001) }, 'caption', 'caption_too_long'],
    ['an empty text', { caption: '' }, 'caption', 'caption_required'],
  ])('refuses %s with the exact path', async (_, body, issuePath, code) => {
    const { path } = await publish();
    const refused = await app.api.patch(path, body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues).toMatchObject([{ path: issuePath, code }]);
  });
});

describe('POST …/mark-unpublished', () => {
  test('is refused where Fanfare can remove the post', async () => {
    const { path } = await publish();
    const refused = await app.api.post(`${path}/mark-unpublished`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });

  test('records a removal by hand once the account is disconnected', async () => {
    const { result, path } = await publish();
    await app.api.delete(`/v1/accounts/${result.social_account_id}`);
    const refused = await app.api.post(`${path}/unpublish`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const marked = await app.api.post(`${path}/mark-unpublished`);
    expect(marked).toMatchObject({
      status: 200,
      body: { data: { status: 'unpublished', changes: [{ status: 'succeeded' }] } },
    });
  });
});

describe('DELETE /v1/posts/:id', () => {
  test('deletes the record, and says how many targets are still public', async () => {
    const { post, result } = await publish();
    const deleted = await app.api.delete(`/v1/posts/${post.id}`);
    expect(deleted.status).toBe(204);
    expect(deleted.headers.get('fanfare-still-public')).toBe('1');
    expect(await listPosts(result.external_id)).toHaveLength(1);
  });

  test('removes a thread first with ?unpublish=true', async () => {
    const { post } = await publish({ thread_position: 0 }, [{ thread_position: 1 }]);
    const deleting = await app.api.delete(`/v1/posts/${post.id}?unpublish=true`);
    expect(deleting.status).toBe(202);
    await vi.waitFor(async () => {
      expect((await app.api.get(`/v1/posts/${post.id}`)).status).toBe(404);
    }, patience);
    for (const { external_id } of post.results) expect(await listPosts(external_id)).toEqual([]);
  });

  test('keeps the record if a removal fails', async () => {
    const { post } = await publish({ platform_options: { change_outcome: 'rejected' } });
    expect((await app.api.delete(`/v1/posts/${post.id}?unpublish=true`)).status).toBe(202);
    await waitForChange(post);
    expect((await readPost(post.id)).results[0]!.status).toBe('published');
    expect((await app.api.delete(`/v1/posts/${post.id}`)).status).toBe(204);
  });
});

test('GraphQL edits and removes as REST does', async () => {
  const { post, result } = await publish();
  const ids = { postId: post.id, resultId: result.id };
  const { updateResult } = await ask(
    app,
    `mutation ($postId: ID!, $resultId: ID!) {
      updateResult(postId: $postId, resultId: $resultId, input: { caption: "Hello" }) {
        id status changes { type status }
      }
    }`,
    ids,
  );
  expect(updateResult).toMatchObject({
    id: result.id,
    changes: [{ type: 'EDIT', status: 'PENDING' }],
  });
  await waitForChange(post);
  const { unpublishResult } = await ask(
    app,
    `mutation ($postId: ID!, $resultId: ID!) {
      unpublishResult(postId: $postId, resultId: $resultId) { editedAt changes { type } }
    }`,
    ids,
  );
  expect(unpublishResult.changes).toEqual([{ type: 'EDIT' }, { type: 'UNPUBLISH' }]);
  expect((await waitForChange(post)).status).toBe('unpublished');
});

test('GraphQL marks a removal by hand, and removes what it deletes, as REST does', async () => {
  const { post, result } = await publish({ platform_options: { change_outcome: 'rejected' } });
  const ids = { postId: post.id, resultId: result.id };
  const mark = `mutation ($postId: ID!, $resultId: ID!) {
    markResultUnpublished(postId: $postId, resultId: $resultId) {
      status unpublishedAt changes { type status nextAction }
    }
  }`;
  expect(await askRefused(app, mark, ids)).toMatchObject({ code: 'conflict' });
  await app.api.post(`/v1/posts/${post.id}/results/${result.id}/unpublish`);
  await waitForChange(post);
  const { markResultUnpublished } = await ask(app, mark, ids);
  expect(markResultUnpublished).toMatchObject({
    status: 'UNPUBLISHED',
    unpublishedAt: expect.any(String),
    changes: [{ status: 'FAILED' }, { type: 'UNPUBLISH', status: 'SUCCEEDED' }],
  });

  const public_ = await publish();
  const remove = 'mutation ($id: ID!) { deletePost(id: $id, unpublish: true) }';
  expect(await ask(app, remove, { id: public_.post.id })).toEqual({ deletePost: public_.post.id });
  await vi.waitFor(async () => {
    expect((await app.api.get(`/v1/posts/${public_.post.id}`)).status).toBe(404);
  }, patience);
  expect(await listPosts(public_.result.external_id)).toEqual([]);
});

test.each([
  ['sandbox', { delayMs: 1 }, 'not_editable', 'sandbox.delayMs'],
  ['tiktok', { title: 'Hello' }, 'other_network', 'tiktok'],
])('GraphQL reads the options of an edit: %s', async (network, options, code, path) => {
  const { post, result } = await publish();
  const refused = await askRefused(
    app,
    `mutation ($postId: ID!, $resultId: ID!, $input: UpdateResultInput!) {
      updateResult(postId: $postId, resultId: $resultId, input: $input) { id }
    }`,
    {
      postId: post.id,
      resultId: result.id,
      input: { platformOptions: { [network]: options } },
    },
  );
  expect(refused.issues).toMatchObject([{ path: `input.platformOptions.${path}`, code }]);
});
