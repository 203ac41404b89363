// Replies at the sandbox, in its API and on its pages.
import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../../support/rows/database.ts';
import { createTestSandbox, type TestSandbox } from '../../support/app/sandbox.ts';
import { formOf } from '../../support/networks/connection.ts';

interface SandboxPost {
  id: string;
  caption: string;
  reply_to: string | null;
  media: string[];
}

let sandbox: TestSandbox;

const database = useDatabase();
beforeAll(() => {
  sandbox = createTestSandbox(database.db);
});

async function call(path: string, handle: string, body?: object): Promise<Response> {
  const { platform } = sandbox;
  const { credentials } = await formOf(platform).run({ handle }, AbortSignal.timeout(5_000));
  return sandbox.request(`/sandbox/api/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { Authorization: `Bearer ${credentials['access_token']}` },
  });
}

async function post(handle: string, caption: string, more: object = {}): Promise<SandboxPost> {
  const response = await call('posts', handle, { caption, ...more });
  expect(response.status).toBe(201);
  return (await response.json()) as SandboxPost;
}

async function readPage(path: string): Promise<string> {
  return (await sandbox.request(path)).text();
}

/** The captions in the order in which the page shows them. */
function captionsOf(page: string): string[] {
  return [...page.matchAll(/<p class="text">([^<]*)<\/p>/g)].map((match) => match[1]!);
}

describe('POST /sandbox/api/posts', () => {
  test('accepts a reply', async () => {
    const first = await post('ada', 'first');
    const reply = await post('bob', 'second', { reply_to: first.id });
    expect(first).toMatchObject({ reply_to: null, media: [] });
    expect(reply).toMatchObject({ reply_to: first.id, media: [] });
    const listed = (await (await call('posts', 'bob')).json()) as { posts: SandboxPost[] };
    expect(listed.posts).toEqual([reply]);
  });

  test.each(['nowhere', '0', '%00', 'x'.repeat(64)])('knows no post %s', async (reply_to) => {
    const response = await call('posts', 'ada', { caption: 'lonely', reply_to });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      error: { code: 'reply_to_not_found', message: 'The post to reply to is not on the sandbox.' },
    });
  });

  test.each([
    { reply_to: 7 },
    { reply_to: 'a\0b' },
    { reply_to: 'x'.repeat(65) },
    { media_urls: ['https://media.test/a.jpg'] },
  ])('refuses %j', async (fields) => {
    const response = await call('posts', 'ada', { caption: 'odd', ...fields });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
  });
});

describe('the pages', () => {
  test('show each reply under its post, the oldest first', async () => {
    const one = await post('carol', 'one');
    await post('carol', 'two');
    const answer = await post('carol', 'one, answered', { reply_to: one.id });
    await post('carol', 'one, answered again', { reply_to: one.id });
    await post('carol', 'the answer, answered', { reply_to: answer.id });
    const list = await readPage('/sandbox/posts?handle=carol');
    const thread = ['one', 'one, answered', 'the answer, answered', 'one, answered again'];
    expect(captionsOf(list)).toEqual(['two', ...thread]);
    expect(captionsOf(await readPage(`/sandbox/posts/${one.id}`))).toEqual(thread);
    const page = await readPage(`/sandbox/posts/${answer.id}`);
    expect(captionsOf(page)).toEqual(['one, answered', 'the answer, answered']);
    expect(page).toContain(`replies to <a href="/sandbox/posts/${one.id}">`);
  });

  test('show a reply whose post is on another page', async () => {
    const one = await post('dave', 'elsewhere');
    await post('erin', 'an answer', { reply_to: one.id });
    expect(captionsOf(await readPage('/sandbox/posts?handle=erin'))).toEqual(['an answer']);
    expect(captionsOf(await readPage(`/sandbox/posts/${one.id}`))).toEqual([
      'elsewhere',
      'an answer',
    ]);
  });
});
