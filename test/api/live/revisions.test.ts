// The revision orders answers and live messages while three targets of a post are published in parallel.
import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { subscribeOverSocket } from '../../support/graphql/graphql.ts';

const app = useApp();

interface Seen {
  revision: number;
  updatedAt: string;
  status: string;
  results: { status: string; attempts: number; waitingFor: string | null }[];
}

const fields = 'revision updatedAt status results { status attempts waitingFor }';
const subscription = `subscription ($id: ID) {
  postUpdated(id: $id) { change post { ${fields} } }
}`;
const final = ['PUBLISHED', 'FAILED', 'PARTIAL'];

test('a later answer never has a lower revision, and a client that ignores lower ones ends with the last state', async () => {
  const accounts = [];
  for (const handle of ['one', 'two', 'three']) {
    accounts.push((await app.tenant.connectSandbox(handle)).id);
  }
  const { id } = await app.tenant.createPost({
    caption: 'hello',
    platform_posts: accounts.map((account_id, i) => ({
      account_id,
      first_comment: 'more',
      platform_options: { delay_ms: 20 * i },
    })),
    status: 'draft',
  });
  const variables = { id };
  const { url } = app;
  const { key } = app.tenant;
  await using live = subscribeOverSocket({ url, key, query: subscription, variables });
  await live.until(({ data }) => data.postUpdated.change === 'present');
  await app.api.post(`/v1/posts/${id}/publish`);

  const read: Seen[] = [];
  while (!final.includes(read.at(-1)?.status ?? '')) {
    const { body } = await app.api.graphql(`query ($id: ID!) { post(id: $id) { ${fields} } }`, {
      id,
    });
    read.push(body.data.post);
  }
  const messages = await live.until(({ data }) => final.includes(data.postUpdated.post.status));
  const sent = messages.map(({ data }) => data.postUpdated.post as Seen);

  // Each answer was asked for after the one before it had come. Messages are read while others are sent.
  const revisions = read.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  const newestOf = (seen: Seen[]) => seen.reduce((a, b) => (b.revision < a.revision ? a : b));
  const newest = newestOf(sent);
  expect(newest).toEqual(read.at(-1));
  expect(newestOf(read)).toEqual(newest);
  expect(newest).toMatchObject({ status: 'PUBLISHED' });
});
