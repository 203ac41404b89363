// A change of a result names the result, so that a client need not compare the whole post.
import { expect, test } from 'vitest';
import type { Post } from '../../../schema/posts/posts.ts';
import { useApp } from '../../support/app/app.ts';
import { subscribeOverSocket, type Message } from '../../support/graphql/graphql.ts';
import { inSeconds } from '../../support/rows/posts.ts';

const app = useApp();

const query = `subscription ($id: ID, $after: String) {
  postUpdated(id: $id, after: $after) { cursor change resultId }
}`;

const connect = async (handle: string) => (await app.tenant.connectSandbox(handle)).id;

/** Passes once each of these changes has arrived. */
function hasAll(kinds: string[]) {
  const missing = new Set(kinds);
  return (message: Message) => {
    missing.delete(message.data.postUpdated.change);
    return missing.size === 0;
  };
}

test('each change of a result has the ID of the result, or of its first comment', async () => {
  const post = await app.tenant.createPost({
    caption: 'hello',
    scheduled_at: inSeconds(3_600),
    platform_posts: [
      { account_id: await connect('fine'), first_comment: 'more' },
      { account_id: await connect('refused'), platform_options: { outcome: 'rejected' } },
      { account_id: await connect('away'), platform_options: { outcome: 'unavailable' } },
    ],
  });
  const { id } = post;
  const [fine, refused, away] = post.results.map((result) => result.id);
  const comment = post.results[0]!.first_comment!.id;
  const variables = { id };
  const { url } = app;
  const { key } = app.tenant;
  await using subscription = subscribeOverSocket({ url, key, query, variables });
  await app.api.post(`/v1/posts/${id}/publish`);
  const readStatuses = async () => {
    const { results } = (await app.api.get(`/v1/posts/${id}`)).body.data as Post;
    return results.map(({ status, first_comment }) => [status, first_comment?.status]);
  };
  await expect
    .poll(readStatuses)
    .toEqual([['published', 'published'], ['failed', undefined], expect.anything()]);
  await subscription.until(hasAll(['result.waiting', 'result.failed', 'result.published']));
  await app.api.post(`/v1/posts/${id}/cancel`);
  await subscription.until(hasAll(['result.canceled']));
  await app.api.post(`/v1/posts/${id}/results/${refused}/retry`);
  const messages = await subscription.until(hasAll(['result.retried']));

  const changes = messages.map(
    ({ data }) => data.postUpdated as { change: string; resultId: string },
  );
  const idsOf = (kind: string) =>
    new Set(changes.filter(({ change }) => change === kind).map(({ resultId }) => resultId));
  expect(idsOf('result.publishing')).toEqual(new Set([fine, comment, refused, away]));
  expect(idsOf('result.published')).toEqual(new Set([fine, comment]));
  expect(idsOf('result.failed')).toEqual(new Set([refused]));
  expect(idsOf('result.waiting')).toEqual(new Set([away]));
  expect(idsOf('result.canceled')).toEqual(new Set([away]));
  expect(idsOf('result.retried')).toEqual(new Set([refused]));
  const others = changes.filter(({ change }) => !change.startsWith('result.'));
  expect(others.map(({ change }) => change)).toEqual(
    expect.arrayContaining(['present', 'started']),
  );
  expect(new Set(others.map(({ resultId }) => resultId))).toEqual(new Set([null]));
});
