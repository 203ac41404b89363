// After a lost answer of Threads: what its lists name.
import { expect, test } from 'vitest';
import { publicWithoutId } from '../../../support/networks/meta/lost-answer-cases.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

test('a reply is looked for among the replies', async () => {
  await using network = await startThreads();
  const replyTo = network.server.addPost('Hello');
  const target = await network.prepare(network.target({ replyTo }));
  const published = await network.commit(target);
  network.server.calls.length = 0;
  expect(await network.reconcile(target)).toEqual(published);
  expect(network.server.calls.at(-1)).toBe('GET /v1.0/me/replies');
});

test('a post is public without an ID if another post differs only in the missing # of its tag', async () => {
  await using network = await startThreads();
  const target = await network.prepare(network.target({ caption: 'Hello #world' }));
  await network.commit(target);
  network.server.addPost('Hello world');
  expect(await network.reconcile(target)).toEqual(publicWithoutId);
});

test('a reply is public without an ID if the login may not list replies', async () => {
  await using network = await startThreads();
  const replyTo = network.server.addPost('Hello');
  const scopes = ['threads_basic', 'threads_content_publish', 'threads_manage_replies'];
  const credentials = { access_token: network.server.logins.createToken(scopes) };
  const target = await network.prepare(network.target({ replyTo, credentials }));
  await network.commit(target);
  expect(await network.reconcile(target)).toEqual(publicWithoutId);
});
