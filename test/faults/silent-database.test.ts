// The program while its connections to Postgres are silent: nothing arrives, and nobody closes them.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../activities/dispatch/workflow-bundle.ts';
import { startProxy, type Proxy } from '../support/servers/proxy.ts';
import type { Api } from '../support/app/api.ts';
import { createBundledDirectory } from '../support/servers/bundled-directory.ts';
import { createTestDatabase, type TestDatabase } from '../support/rows/database.ts';
import { subscribeOverSocket } from '../support/graphql/graphql.ts';
import { elapse } from '../support/elapse.ts';
import { removeDataDirectory, startProgram, type Program } from '../support/app/program.ts';
import { createTestNamespace, type TestNamespace } from '../support/servers/temporal.ts';

const key = 'the-key-of-the-silent-database-test';
const dataDirectory = createBundledDirectory();
let database: TestDatabase;
let namespace: TestNamespace;
let proxy: Proxy;
let program: Program;
let api: Api;
let accountId: string;

beforeAll(async () => {
  [database, namespace] = await Promise.all([
    createTestDatabase(),
    createTestNamespace(),
    workflowBundle(inject('cacheDirectory')),
  ]);
  proxy = await startProxy(new URL(database.url));
  program = startProgram({
    dataDirectory,
    env: {
      DATABASE_URL: proxy.urlOf(database.url),
      FANFARE_DATABASE_TIMEOUT_MS: '1000',
      TEMPORAL_ADDRESS: namespace.address,
      TEMPORAL_NAMESPACE: namespace.namespace,
      FANFARE_API_KEY: key,
      FANFARE_VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
      FANFARE_SANDBOX: 'true',
      FANFARE_LOG_LEVEL: 'silent',
    },
  });
  api = await program.waitForReady();
  accountId = (await api.get('/v1/accounts')).body.data[0].id;
});
afterAll(async () => {
  await program.stop();
  await proxy.cut();
  await removeDataDirectory(dataDirectory);
  await Promise.all([namespace.close(), database.drop()]);
});

const createPost = (caption: string) =>
  api.post('/v1/posts', { caption, account_ids: [accountId] });

test('after the timeout of a silent database, requests get 503 and streams end; later everything works again', async () => {
  await using stream = subscribeOverSocket({
    url: api.url,
    key,
    query: 'subscription { postUpdated { cursor post { status } } }',
  });
  await createPost('before');
  await stream.waitFor(1);

  proxy.silence();
  const startedAtMs = performance.now();
  const refused = await createPost('silent');
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(refused.headers.get('Retry-After')).toBe('2');
  const messages = await stream.until(({ errors }) => errors !== undefined);
  const { errors } = messages.at(-1);
  expect(errors).toMatchObject([{ extensions: { code: 'unavailable' } }]);
  expect(errors[0].extensions.cursor).toBe(messages.at(-2).data.postUpdated.cursor);
  // 12 s with the default timeout of 8 s.
  expect(performance.now() - startedAtMs).toBeLessThan(8_000);

  proxy.restore();
  await expect
    .poll(async () => (await createPost('after')).status, { timeout: 5_000, interval: 100 })
    .toBe(202);
  const [{ id }] = (await api.get('/v1/posts?limit=1')).body.data;
  await expect
    .poll(async () => (await api.get(`/v1/posts/${id}`)).body.data.status)
    .toBe('published');
});

test('a bulk request waits no longer than one post', async () => {
  const posts = Array.from({ length: 20 }, (_, i) => ({
    caption: `bulk ${i}`,
    account_ids: [accountId],
  }));
  // The key is known for a while, so that the posts themselves meet the silence.
  await api.get('/v1/project');
  proxy.silence();
  const startedAtMs = performance.now();
  const { body } = await api.post('/v1/posts/bulk', { posts });
  expect(performance.now() - startedAtMs).toBeLessThan(8_000);
  const statuses = body.data.map(({ status }: { status: number }) => status);
  expect(statuses).toEqual(posts.map(() => 503));
  proxy.restore();
  await expect.poll(async () => (await api.get('/v1/project')).status).toBe(200);
});

test('a signal ends the program while its connections are silent', async () => {
  proxy.silence();
  await elapse(600, 'each poll comes twice a second, and all of them have to meet the silence');
  const startedAtMs = performance.now();
  process.kill(program.pid, 'SIGTERM');
  expect(await program.exit).toMatchObject({ code: 0 });
  // What a container gets.
  expect(performance.now() - startedAtMs).toBeLessThan(30_000);
}, 40_000);
