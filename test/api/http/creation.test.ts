// What all calls share that make something: null leaves a member out, and `Location` names the result.
import { describe, expect, test } from 'vitest';
import { useAuthor } from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';
import { routes } from '../../../api/resources/routes.ts';

const rest = useRest();
const author = useAuthor(rest);

const call = (method: string, path: string, body?: unknown) =>
  rest.call(method, path, { key: author.key, ...(body === undefined ? {} : { body }) });

describe('null', () => {
  const nulls = () => ({
    caption: 'hello',
    account_ids: null,
    platform_posts: [
      {
        account_id: author.accounts[0],
        caption: null,
        media: null,
        thread_position: null,
        first_comment: null,
        in_reply_to: null,
        platform_options: null,
      },
    ],
    scheduled_at: null,
    status: null,
    media_urls: null,
    metadata: null,
    auto_fit: null,
    idempotency_key: null,
  });

  test('counts as left out of a new post and its targets', async () => {
    const { status, body } = await call('POST', '/v1/posts', nulls());
    expect(status, JSON.stringify(body)).toBe(202);
    expect(body.data).toMatchObject({ caption: 'hello', auto_fit: true, metadata: {} });
    expect(body.data.results).toMatchObject([{ caption: 'hello', first_comment: null }]);
  });

  test('counts as left out of posts that are validated or created in bulk', async () => {
    const validated = await call('POST', '/v1/posts/validate', nulls());
    expect(validated.body.data).toMatchObject({ valid: true });
    const bulk = await call('POST', '/v1/posts/bulk', { posts: [nulls()] });
    expect(bulk.body.data).toMatchObject([{ status: 202 }]);
  });

  test('counts as left out of a new webhook', async () => {
    const url = 'https://example.com/hook';
    const { status } = await call('POST', '/v1/webhooks', { url, events: null, name: null });
    expect(status).toBe(201);
  });

  test('is a value in options and metadata', async () => {
    const body = { caption: 'hello', account_ids: [author.accounts[0]], metadata: { a: null } };
    const refused = await call('POST', '/v1/posts', body);
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: 'metadata.a', code: 'invalid_type' }] } },
    });
  });

  test('is refused in a change of a post, where it would clear the text', async () => {
    const { id } = await author.create({ status: 'draft' });
    expect(await author.change(id, { caption: null })).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: 'caption', code: 'invalid_type' }] } },
    });
  });

  test('is refused as the value of a required member', async () => {
    expect(await call('POST', '/v1/webhooks', { url: null })).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: 'url' }] } },
    });
  });
});

test.each([
  ['platform_posts', () => ({ account_ids: [author.accounts[0]], platform_posts: [] })],
  [
    'account_ids',
    () => ({ account_ids: [], platform_posts: [{ account_id: author.accounts[0] }] }),
  ],
])('an empty `%s` counts as left out if the other list has targets', async (_, targets) => {
  const body = { caption: 'hello', ...targets() };
  const { status, body: answer } = await call('POST', '/v1/posts', body);
  expect(status).toBe(202);
  expect(answer.data.results).toHaveLength(1);
});

describe('Location', () => {
  const makers = routes.filter(({ answer: { statuses } }) =>
    statuses.some((status) => status === 201 || status === 202),
  );

  test('is in the definition of each call that answers 201 or 202', () => {
    expect(makers.filter(({ location }) => !location).map(({ path }) => path)).toEqual([]);
  });

  test('names a path that can be read', () => {
    const data = { id: 'x', replay_id: 'x', platform: 'x' };
    const readable = routes.filter(({ method }) => method === 'get').map(({ path }) => path);
    const patterns = readable.map((path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
    for (const { location } of makers) {
      const path = location!({ status: 201, data }, { id: 'x' });
      expect(patterns.some((pattern) => pattern.test(path))).toBe(true);
    }
  });

  test.each([
    ['a post', '/v1/posts', () => ({ caption: 'hello', account_ids: [author.accounts[0]] })],
    ['a webhook', '/v1/webhooks', () => ({ url: 'https://example.com/hook' })],
  ])('is the path of %s after its creation', async (_, path, body) => {
    const made = await call('POST', path, body());
    const location = made.headers.get('Location')!;
    expect(location).toBe(`${path}/${made.body.data.id}`);
    expect((await call('GET', location)).body.data.id).toBe(made.body.data.id);
  });

  test('is the path of the post after a retry of a target', async () => {
    const { id } = await author.create();
    const read = await author.read(id);
    await rest.context.db
      .updateTable('post_results')
      .set({ status: 'failed', error_code: 'rejected' })
      .where('post_id', '=', id)
      .execute();
    await rest.context.db
      .updateTable('posts')
      .set({ status: 'failed', concluded_run: 1 })
      .where('id', '=', id)
      .execute();
    const retried = await author.ask(id, `results/${read.results[0]!.id}/retry`);
    expect(retried).toMatchObject({ status: 202 });
    expect(retried.headers.get('Location')).toBe(`/v1/posts/${id}`);
  });
});
