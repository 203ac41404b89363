// The cache of docs/live.md for Apollo Client keeps types without an ID, and forgets deleted posts.
import { readFile } from 'node:fs/promises';
import { gql, InMemoryCache } from '@apollo/client';
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';

const app = useApp({ roles: { api: true, worker: false } });
let makeCache: () => InMemoryCache;
beforeAll(async () => {
  const page = await readFile(new URL('../../docs/live.md', import.meta.url), 'utf8');
  const [, options] = /const cache = new InMemoryCache\((.*?)\);\n/s.exec(page)!;
  // oxlint-disable-next-line typescript/no-implied-eval -- the page's own code
  const read = new Function(`return (${options})`) as () => object;
  makeCache = () => new InMemoryCache(read());
});

async function load(text: string) {
  const query = gql(text);
  const { body } = await app.api.graphql(text);
  return { query, data: body.data };
}

test('the cache keeps what two queries read of an object without an ID', async () => {
  const { id } = await app.tenant.connectSandbox('ada');
  const cache = makeCache();
  const texts = [
    `{ account(id: "${id}") { __typename id health { __typename status } } limits { __typename bodyBytes } }`,
    `{ account(id: "${id}") { __typename id health { __typename tokenExpiresAt } } limits { __typename captionCharacters } }`,
  ];
  for (const text of texts) {
    const { query, data } = await load(text);
    cache.writeQuery({ query, data });
  }
  for (const text of texts) {
    expect(cache.readQuery({ query: gql(text) })).not.toBeNull();
  }
});

test('the cache forgets a deleted post, also in lists', async () => {
  const account = await app.tenant.connectSandbox('bob');
  const post = { caption: 'a', account_ids: [account.id], status: 'draft' };
  const { id } = await app.tenant.createPost(post);
  const cache = makeCache();
  const text = '{ posts { __typename nodes { __typename id caption } } }';
  const { query, data } = await load(text);
  cache.writeQuery({ query, data });
  expect(data.posts.nodes).toHaveLength(1);
  cache.evict({ id: cache.identify({ __typename: 'Post', id })! });
  cache.gc();
  expect(cache.readQuery({ query })).toMatchObject({ posts: { nodes: [] } });
});
