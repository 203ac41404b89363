// Streams over several processes on one database, and over a restart: each change once, in order.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app/app.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { createWriters, writePostChanges, type Writers } from '../support/graphql/feed.ts';
import { subscribeOverSocket, subscribeOverSse, type Message } from '../support/graphql/graphql.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';

let database: TestDatabase;
let namespace: TestNamespace;
let writers: Writers;
let apps: [TestApp, TestApp];

const start = () => startApp({ database, namespace, roles: { api: true, worker: false } });

beforeAll(async () => {
  [database, namespace] = await Promise.all([createTestDatabase(), createTestNamespace()]);
  writers = createWriters(database.url);
  apps = [await start(), await start()];
});

afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop()));
  await writers.close();
  await Promise.all([namespace.close(), database.drop()]);
});

const query = `subscription ($id: ID, $after: String) {
  postUpdated(id: $id, after: $after) { cursor change postId post { caption } }
}`;

const update = (message: Message) => message.data.postUpdated;

/** Many transactions side by side, of which some are held open while others commit. */
function write(projectId: string, transactions: number): { ids: string[]; done: Promise<void> } {
  const ids: string[] = [];
  const done = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; i < transactions; i++) {
        const those = [0, 1, 2].map((n) => `post_${writer}_${i}_${n}`);
        ids.push(...those);
        await writers.commit(projectId, those, Math.random() < 0.2 ? 80 : Math.random() * 10);
      }
    }),
  );
  return { ids, done: done.then(() => undefined) };
}

describe('a client that reconnects', () => {
  test('sees each change once and in order, from either of two processes, over either transport', async () => {
    const { projectId, key } = apps[0].tenant;
    const begun = await Promise.all([0, 1].map(() => cursorOf(key)));
    await using whole = subscribeOverSocket({
      url: apps[0].url,
      key,
      query,
      variables: { after: begun[0] },
    });
    const writing = write(projectId, 50);
    const total = 8 * 50 * 3;

    async function hop(firstAfter: string): Promise<string[]> {
      const seen: string[] = [];
      let after = firstAfter;
      for (let i = 0; seen.length < total; i++) {
        const { url } = apps[i % 2]!;
        const subscribe = i % 3 === 0 ? subscribeOverSse : subscribeOverSocket;
        await using stream = await subscribe({ url, key, query, variables: { after } });
        const wanted = Math.min(1 + Math.floor(Math.random() * 60), total - seen.length);
        const messages = (await stream.waitFor(wanted)).slice(0, wanted).map(update);
        seen.push(...messages.map(({ postId }) => postId));
        after = messages.at(-1).cursor;
      }
      return seen;
    }

    const [hopped, again] = await Promise.all([hop(begun[0]!), hop(begun[1]!), writing.done]);
    const order = (await whole.waitFor(total)).map((message) => update(message).postId);
    expect(new Set(order)).toEqual(new Set(writing.ids));
    expect(order.length).toBe(total);
    expect(hopped).toEqual(order);
    expect(again).toEqual(order);
  });

  test('sees each change once and in order after its process has been started anew', async () => {
    const { projectId, key } = apps[0].tenant;
    const after = await cursorOf(key);
    const before = subscribeOverSocket({ url: apps[0].url, key, query, variables: { after } });
    const writing = write(projectId, 20);
    const seen = [...(await before.waitFor(30))].map(update);
    await apps[0].stop();
    await before.close();
    apps[0] = await start();
    await writing.done;
    const { cursor } = seen.at(-1);
    await using rest = subscribeOverSocket({
      url: apps[0].url,
      key,
      query,
      variables: { after: cursor },
    });
    const total = 8 * 20 * 3;
    const later = (await rest.waitFor(total - seen.length)).map(update);
    const ids = [...seen, ...later].map(({ postId }) => postId);
    expect(ids.length).toBe(total);
    expect(new Set(ids)).toEqual(new Set(writing.ids));
    await using whole = subscribeOverSocket({ url: apps[1].url, key, query, variables: { after } });
    const order = (await whole.waitFor(total)).map((message) => update(message).postId);
    expect(ids).toEqual(order);
  });
});

describe('a stream that begins with the present state', () => {
  test('sends no change that the state includes, even if an older transaction held the change back', async () => {
    const { api, key, connectSandbox, createPost } = apps[1].tenant;
    const older = await writers.hold((trx) => writePostChanges(trx, 'prj_other', ['post_old']));
    const account = await connectSandbox('ada');
    const post = { caption: 'v0', account_ids: [account.id], status: 'draft' };
    const { id } = await createPost(post);
    await api.patch(`/v1/posts/${id}`, { caption: 'v1' });
    const open = (variables: object) =>
      subscribeOverSocket({ url: apps[1].url, key, query, variables: { id, ...variables } });
    await using first = open({});
    const [present] = (await first.waitFor(1)).map(update);
    expect(present).toMatchObject({ change: 'present', post: { caption: 'v1' } });
    await api.patch(`/v1/posts/${id}`, { caption: 'v2' });
    await older.commit();
    const updates = (await first.waitFor(2)).map(update);
    await using resumed = open({ after: present.cursor });
    expect((await resumed.waitFor(1)).map(update)).toEqual(updates.slice(1));
    expect(updates[1]).toMatchObject({ change: 'updated', post: { caption: 'v2' } });
    await api.delete(`/v1/posts/${id}`);
    const isEnd = (message: Message) => update(message).change === 'deleted';
    await Promise.all([first.until(isEnd), resumed.until(isEnd)]);
    expect([first, resumed].map(({ messages }) => messages.length)).toEqual([3, 2]);
  });
});

/** Where the streams stand now. */
async function cursorOf(key: string): Promise<string> {
  await using stream = subscribeOverSocket({ url: apps[1].url, key, query: '{ liveCursor }' });
  const [answer] = await stream.waitFor(1);
  return answer.data.liveCursor;
}
