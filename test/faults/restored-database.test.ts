// Postgres is restored to an earlier state after its posts went out: each post is still public only once.
import { afterAll, describe, test, vi } from 'vitest';
import { pause, resume } from '../../api/cli/pause.ts';
import { restored } from '../../api/cli/restored.ts';
import type { Account } from '../../schema/accounts.ts';
import type { Post } from '../../schema/posts/posts.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import {
  startBlueskyPds,
  type BlueskyPds,
  type PdsAccount,
} from '../support/servers/bluesky-pds.ts';
import {
  copyTestDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/rows/database.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { createTestSandbox } from '../support/app/sandbox.ts';
import { createApi, type Api } from '../support/app/api.ts';
import { createTestNamespace } from '../support/servers/temporal.ts';
import { quietNotifier } from '../support/rows/quiet-transaction.ts';

/** A network on a database of its own, which the restore leaves alone. */
interface Network {
  readonly env: Record<string, string>;
  readonly platform: 'sandbox' | 'bluesky';
  /** Connects its one account, or connects it again. */
  connect(api: Api): Promise<Account>;
  /** The text of every public post. */
  listTexts(): Promise<string[]>;
}

const pds = await startBlueskyPds();
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  if (!('skipped' in pds)) await pds.stop();
});

async function startSandbox(): Promise<Network> {
  const database = await createTestDatabase();
  const network = await createTestSandbox(database.db).listen();
  closing.push(() => network.close());
  closing.push(() => database.drop());
  return {
    env: { FANFARE_SANDBOX_API_URL: network.apiUrl },
    platform: 'sandbox',
    connect: (api) => connect(api, 'sandbox', { handle: 'ada' }),
    async listTexts() {
      const rows = await database.db.selectFrom('sandbox_posts').select('caption').execute();
      return rows.map((row) => row.caption);
    },
  };
}

async function useBluesky({ url, env, createAccount }: BlueskyPds): Promise<Network> {
  const user: PdsAccount = await createAccount('ada.test', 'ada-password');
  return {
    env,
    platform: 'bluesky',
    connect: (api) =>
      connect(api, 'bluesky', { handle: user.handle, app_password: user.appPassword }),
    async listTexts() {
      const query = `repo=${user.did}&collection=app.bsky.feed.post&limit=100`;
      const answer = await fetch(`${url}/xrpc/com.atproto.repo.listRecords?${query}`);
      const { records } = (await answer.json()) as { records: { value: { text: string } }[] };
      return records.map(({ value }) => value.text);
    },
  };
}

async function connect(api: Api, platform: string, credentials: object): Promise<Account> {
  const { body } = await api.post('/v1/accounts/connect', { platform, credentials });
  return body.data as Account;
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The same tenant at another app on a copy of its database. */
const apiOf = (app: TestApp, { key }: { key: string }) => createApi(app.url, key);

async function change(api: Api, path: string, body?: object, method = 'POST'): Promise<void> {
  const { status, text } = await api.call(method, path, body);
  if (status >= 300) throw new Error(`${path}: ${text}`);
}

async function waitForPosts(api: Api, posts: Post[]): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const found = await Promise.all(posts.map(({ id }) => api.get(`/v1/posts/${id}`)));
      const statuses = found.map(({ body }) => body.data.status as string);
      if (statuses.some((status) => status === 'scheduled' || status === 'pending')) {
        throw new Error(`Not ended: ${statuses.join()}`);
      }
      return statuses;
    },
    { timeout: 20_000, interval: 100 },
  );
}

/** The posts that the backup knows. Everything that users do to them later is lost. */
async function accept({ context: { db }, tenant: { api } }: TestApp, network: Network) {
  const account = await network.connect(api);
  const create = async (caption: string, more: object = {}) => {
    const { body } = await api.post('/v1/posts', { caption, account_ids: [account.id], ...more });
    return body.data as Post;
  };
  const failed = await create('failed', { scheduled_at: inMs(3_000) });
  await change(api, `/v1/accounts/${account.id}`, undefined, 'DELETE');
  await waitForPosts(api, [failed]);
  await network.connect(api);
  await pause(db, network.platform);
  return {
    failed,
    waiting: await Promise.all([1, 2, 3, 4, 5].map((n) => create(`waiting ${n}`))),
    scheduled: await Promise.all(
      Array.from({ length: 10 }, (_, n) => create(`scheduled ${n}`, { scheduled_at: inMs(3_000) })),
    ),
    early: await create('publish now', { scheduled_at: inMs(3_600_000) }),
    moved: await create('rescheduled', { scheduled_at: inMs(3_600_000) }),
    draft: await create('draft', { status: 'draft' }),
  };
}

type Accepted = Awaited<ReturnType<typeof accept>>;

/** The changes that the restore loses. Users make them again after it. */
async function act(api: Api, network: Network, { failed, early, moved, draft }: Accepted) {
  await network.connect(api);
  await change(api, `/v1/posts/${failed.id}/results/${failed.results[0]!.id}/retry`);
  await change(api, `/v1/posts/${early.id}/publish`);
  await change(api, `/v1/posts/${draft.id}/publish`);
  await change(api, `/v1/posts/${moved.id}`, { scheduled_at: inMs(3_000) }, 'PATCH');
}

const networks = {
  'the sandbox': () => startSandbox(),
  Bluesky: () => ('skipped' in pds ? undefined : useBluesky(pds)),
};

describe.concurrent('a restored database', () => {
  test.for(Object.keys(networks) as (keyof typeof networks)[])(
    'publishes each post once after `restored`: %s',
    { timeout: 60_000 },
    async (name, context) => {
      const { expect } = context;
      const network = await networks[name]();
      if (!network) return context.skip();
      await using receiver = await startReceiver();
      await using namespace = await createTestNamespace();
      await using database = await createTestDatabase();
      const start = (on: TestDatabase) => startApp({ database: on, namespace, env: network.env });

      // Before the copy: nothing is public.
      await using first = await start(database);
      const { tenant } = first;
      await tenant.createWebhook(receiver.url, ['post.published']);
      const posts = await accept(first, network);
      await first.stop();
      await using copy = await copyTestDatabase(database);

      // After the copy: everything goes out.
      await using second = await start(database);
      const lost = apiOf(second, tenant);
      await resume(second.context, network.platform);
      await act(lost, network, posts);
      const all = Object.values(posts).flat();
      expect(new Set(await waitForPosts(lost, all))).toEqual(new Set(['published']));
      await second.stop();
      const texts = (await network.listTexts()).toSorted();
      expect(texts).toHaveLength(all.length);

      // The copy takes its place.
      const before = receiver.requests.length;
      await restored({ db: copy.db, notifier: quietNotifier });
      await using third = await start(copy);
      const api = apiOf(third, tenant);
      await resume(third.context, network.platform);
      await act(api, network, posts);
      expect(new Set(await waitForPosts(api, all))).toEqual(new Set(['published']));
      expect((await network.listTexts()).toSorted()).toEqual(texts);
      const isTold = ({ id }: Post) =>
        receiver.requests.slice(before).some((request) => request.json().data.id === id);
      await vi.waitUntil(() => all.every(isTold), { timeout: 10_000 });
    },
  );

  test('publishes each post once that a completed workflow has ended, even without `restored`', async ({
    expect,
  }) => {
    const network = await startSandbox();
    await using namespace = await createTestNamespace();
    await using database = await createTestDatabase();
    const env = { ...network.env, FANFARE_SWEEP_EVERY_S: '1', FANFARE_SWEEP_OVERDUE_S: '1' };
    const start = (on: TestDatabase) => startApp({ database: on, namespace, env });

    await using first = await start(database);
    const { tenant } = first;
    const { id } = await network.connect(tenant.api);
    const posts = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        tenant.createPost({
          caption: `scheduled ${n}`,
          account_ids: [id],
          scheduled_at: inMs(2_000),
        }),
      ),
    );
    // Until then, no workflow owns the posts.
    await vi.waitUntil(
      async () => !(await database.db.selectFrom('outbox').select('id').executeTakeFirst()),
      { timeout: 10_000 },
    );
    await first.stop();
    await using copy = await copyTestDatabase(database);
    await using second = await start(database);
    await waitForPosts(apiOf(second, tenant), posts);
    await second.stop();
    expect(await network.listTexts()).toHaveLength(posts.length);

    await using third = await start(copy);
    expect(new Set(await waitForPosts(apiOf(third, tenant), posts))).toEqual(
      new Set(['published']),
    );
    expect(await network.listTexts()).toHaveLength(posts.length);
  }, 60_000);
});
