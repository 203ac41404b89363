// Subscriptions as server-sent events: keep-alive, resuming, limits and disconnected clients.
import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { startApp, useApp } from '../../support/app/app.ts';
import { openEventStream, type EventStream } from '../../support/receivers/event-stream.ts';
import { createBigPost, overflow, addPostChanges } from '../../support/graphql/feed.ts';
import type { Message } from '../../support/graphql/graphql.ts';

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_MAX_STREAMS_PER_PROJECT: '2' },
});

const query = `subscription ($id: ID, $after: String) {
  postUpdated(id: $id, after: $after) { cursor change post { metadata caption } }
}`;

const open = (variables: Record<string, unknown> = {}): Promise<EventStream> =>
  openEventStream({ url: app.url, key: app.tenant.key, query, variables });

const update = (message: Message) => message.data.postUpdated;

/** The first message of a stream: the present state, or why there is none. */
async function firstOf(stream: EventStream): Promise<Message> {
  await expect.poll(() => stream.messages.length).toBeGreaterThan(0);
  return stream.messages[0];
}

/** Opens a stream once the project has room for it. */
function openWhenFree(id: string): Promise<EventStream> {
  return vi.waitFor(
    async () => {
      const stream = await open({ id });
      expect((await firstOf(stream)).errors).toBeUndefined();
      return stream;
    },
    { timeout: 10_000 },
  );
}

async function createDraft(): Promise<string> {
  const { id } = await app.tenant.connectSandbox('ada');
  const post = { caption: 'a', account_ids: [id], status: 'draft' };
  return (await app.tenant.createPost(post)).id;
}

describe('a stream of events', () => {
  test.each([
    ['without a key', ''],
    ['with a bad key', 'sk_wrong'],
  ])('is refused %s', async (_, key) => {
    const { response, messages } = await openEventStream({ url: app.url, key, query });
    await once(response, 'end');
    expect(response.statusCode).toBe(401);
    expect(messages).toMatchObject([{ errors: [{ extensions: { code: 'unauthorized' } }] }]);
  });

  test.each(['application/json', 'multipart/mixed, application/json', 'multipart/mixed'])(
    'is refused to a client that accepts %s',
    async (accept) => {
      const body = { query: 'subscription { postUpdated { cursor } }' };
      const answer = await app.api.call('POST', '/graphql', body, { headers: { accept } });
      expect(answer.status).toBe(406);
      expect(answer.body.errors[0].extensions).toMatchObject({
        code: 'not_acceptable',
        hint: expect.stringContaining('text/event-stream'),
      });
    },
  );

  test('is kept alive by comments while nothing happens', async () => {
    const stream = await open();
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
    await expect
      .poll(() => stream.others.filter((block) => block === ':').length)
      .toBeGreaterThan(2);
    expect(stream.messages).toEqual([]);
    stream.vanish();
  });

  test('is refused over the limit of the project, and ends with its client', async () => {
    const id = await createDraft();
    const first = await openWhenFree(id);
    const second = await openWhenFree(id);
    const refused = await open({ id });
    const { errors } = await firstOf(refused);
    expect(errors[0].extensions).toMatchObject({
      code: 'rate_limited',
      isRetriable: true,
      limit: 2,
    });
    await expect.poll(() => refused.response.complete).toBe(true);
    first.vanish();
    const third = await openWhenFree(id);
    second.vanish();
    third.vanish();
  });

  test('ends with slow_consumer if its client stops reading, and resumes without a gap', async () => {
    const id = await createBigPost(app);
    const stream = await openWhenFree(id);
    stream.response.pause();
    const kinds = await overflow(app, id);
    const ended = once(stream.response, 'end');
    stream.response.resume();
    await ended;
    const messages = stream.messages;
    const { extensions } = messages.at(-1).errors[0];
    expect(extensions).toMatchObject({ code: 'slow_consumer', isRetriable: true });
    expect(stream.others.at(-1)).toBe('event: complete\ndata:');
    const before = messages.slice(1, -1).map(update);
    expect(before.at(-1).cursor).toBe(extensions.cursor);

    const resumed = await open({ id, after: extensions.cursor });
    const missing = kinds.length - before.length;
    await expect.poll(() => resumed.messages.length, { timeout: 60_000 }).toBe(missing);
    const all = [...before, ...resumed.messages.map(update)];
    expect(all.map(({ change }) => change)).toEqual(kinds);
    resumed.vanish();
  }, 90_000);

  test('is cut if its client never reads, and no longer counts against the limit', async () => {
    await using strict = await startApp({
      roles: { api: true, worker: false },
      env: { FANFARE_MAX_STREAMS_PER_PROJECT: '1', FANFARE_STALLED_MS: '4000' },
    });
    const id = await createBigPost(strict);
    const { url, tenant } = strict;
    const openOne = (after?: string) =>
      openEventStream({ url, key: tenant.key, query, variables: { id, after } });
    const codeOf = async (stream: EventStream) =>
      (await firstOf(stream)).errors?.[0].extensions.code;
    const first = await openOne();
    const { cursor } = update(await firstOf(first));
    first.vanish();
    await overflow(strict, id);
    // Missed changes are sent only as fast as the client reads, so this queue never overflows.
    const unread = await openOne(cursor);
    unread.response.pause();
    expect(await codeOf(await openOne())).toBe('rate_limited');
    await expect
      .poll(async () => {
        const stream = await openOne();
        const code = await codeOf(stream);
        stream.vanish();
        return code;
      })
      .toBeUndefined();
    expect(unread.response.complete).toBe(false);
    unread.vanish();
  });

  test('continues after the cursor of its last message', async () => {
    const id = await createDraft();
    const first = await openWhenFree(id);
    await addPostChanges(app, id, ['test.1', 'test.2']);
    await expect.poll(() => first.messages.length).toBe(3);
    first.vanish();
    const [, one, two] = first.messages.map(update);
    await addPostChanges(app, id, ['test.3']);
    const second = await open({ id, after: one.cursor });
    await expect.poll(() => second.messages.length).toBe(2);
    expect(second.messages.map((message) => update(message).change)).toEqual([
      two.change,
      'test.3',
    ]);
    second.vanish();
  });
});
