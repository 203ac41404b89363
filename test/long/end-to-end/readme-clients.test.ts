// The live clients of docs/live.md run as printed and follow posts across a restart of the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createProgramDirectory } from '../../support/checks/readme.ts';

const { extract, remove } = createProgramDirectory();
const clients = ['follow.mjs', 'follow-urql.mjs', 'follow-apollo.mjs'];
let app: TestApp;
let server: TestApp;
let port: number;
let accountId: string;

/** The server that the clients connect to. `app` publishes. */
const startServer = () =>
  startApp({
    env: { FANFARE_PORT: String(port) },
    roles: { api: true, worker: false },
    database: app.database,
    namespace: app.namespace,
  });

beforeAll(async () => {
  app = await startApp();
  [port] = (await findFreePorts([0])) as [number];
  server = await startServer();
  accountId = (await app.tenant.connectSandbox('ada')).id;
  extract('docs/live.md', 'socket.mjs');
});

afterAll(async () => {
  await server.stop();
  await app.stop();
  remove();
});

async function publish(): Promise<string> {
  const { id } = await app.tenant.createPost({ caption: 'live', account_ids: [accountId] });
  await app.tenant.waitForPost(id);
  return id;
}

function startClient(file: string, key: string) {
  const child = spawn(process.execPath, [extract('docs/live.md', file)], {
    env: { URL: `http://127.0.0.1:${port}`, KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exit = once(child, 'close');
  return {
    output: () => output,
    exit,
    /** How often it has printed that the post is published. */
    outcomesOf(id: string): number {
      const outcome = new RegExp(
        `change: 'published',\\s+postId: '${id}',\\s+post: \\{[^}]*status: 'PUBLISHED'`,
        'g',
      );
      return output.match(outcome)?.length ?? 0;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

test.each(clients)(
  '%s shows each published post once, also one published while the server was away',
  async (file) => {
    await using client = startClient(file, app.tenant.key);
    const ids: string[] = [];
    // It prints nothing when it has subscribed, so posts are published until it shows one.
    const seeOne = async () => {
      ids.push(await publish());
      return ids.some((id) => client.outcomesOf(id) > 0) || client.output();
    };
    await expect.poll(seeOne, { timeout: 20_000, interval: 200 }).toBe(true);
    const firstSeen = ids.findIndex((id) => client.outcomesOf(id) > 0);
    // The streams end with a reason, and then the sockets.
    await server.context.feed.close();
    ids.push(await publish());
    await server.stop();
    ids.push(await publish());
    server = await startServer();
    ids.push(await publish());
    const wanted = ids.slice(firstSeen).map(() => 1);
    await expect
      .poll(() => ids.slice(firstSeen).map((id) => client.outcomesOf(id)), { timeout: 20_000 })
      .toEqual(wanted);
  },
);

describe.concurrent.each(clients)('%s', (file) => {
  test('prints the reason when its key is revoked', async ({ expect }) => {
    const made = await app.api.post('/v1/api-keys', { name: 'brief' });
    await using client = startClient(file, made.body.data.key);
    const seeOne = async () => client.outcomesOf(await publish()) > 0 || client.output();
    await expect.poll(seeOne, { timeout: 20_000, interval: 200 }).toBeTruthy();
    await app.api.delete(`/v1/api-keys/${made.body.data.id}`);
    await expect.poll(() => client.output()).toMatch(/4401 Unauthorized/);
  });

  test('ends with a wrong key', async () => {
    await using client = startClient(file, 'ff_test_0123456789abcdef');
    await client.exit;
    expect(client.output()).toMatch(/unauthorized|4401|unknown, revoked or expired/i);
  });
});
