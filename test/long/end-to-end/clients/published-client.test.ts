// Every call of the published client of this API family that has a counterpart runs in the TypeScript client; and what it adds to them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateWebhookSecret, signWebhook } from '../../../../activities/delivering/signature.ts';
import { Fanfare, verifyWebhook, type Post } from '../../../../clients/typescript/src/index.ts';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { readPage, readTable } from '../../../support/checks/readme.ts';
import { noise } from '../../../support/media/samples.ts';
import { inSeconds } from '../../../support/rows/posts.ts';

let app: TestApp;
let client: Fanfare;
beforeAll(async () => {
  app = await startApp();
  client = recordCalls(new Fanfare({ url: `${app.url}/`, apiKey: app.tenant.key }));
});
afterAll(() => app.stop());

/** The calls that the tests make, such as `posts.create`. */
const made = new Set<string>();

function recordCalls(recorded: Fanfare): Fanfare {
  return new Proxy(recorded, {
    get(target, resource) {
      const methods: unknown = Reflect.get(target, resource);
      if (typeof methods !== 'object' || methods === null) return methods;
      return new Proxy(methods, {
        get(_, method) {
          made.add(`${String(resource)}.${String(method)}`);
          return Reflect.get(methods, method) as unknown;
        },
      });
    },
  });
}

const connect = (handle: string) =>
  client.accounts.connect({ platform: 'sandbox', credentials: { handle } });

test('accounts: connect, list, get, health, capabilities, disconnect', async () => {
  const account = await connect('carol');
  expect(account).toMatchObject({ platform: 'sandbox', account_name: 'carol', status: 'active' });
  const { data } = await client.accounts.list({ platform: 'sandbox', status: 'active' });
  expect(data).toContainEqual(account);
  expect(await client.accounts.get(account.id)).toEqual(account);
  expect(await client.accounts.health(account.id)).toMatchObject({ status: 'ok' });
  const capabilities = await client.accounts.capabilities(account.id);
  expect(capabilities).toMatchObject({ platform: 'sandbox', text: { max: 5_000 } });
  const all = await client.platforms.capabilities();
  expect(all.data).toContainEqual(expect.objectContaining({ platform: 'sandbox' }));
  await client.accounts.disconnect(account.id);
  const gone = await client.accounts.list({ status: 'disconnected' });
  expect(gone.data).toMatchObject([{ id: account.id }]);
});

test('connect sessions and users', async () => {
  const asked = { platform: 'sandbox', external_user_id: 'user/1' } as const;
  const session = await client.connect.createSession(asked);
  expect(session.url).toContain(`/connect/${session.id}?token=`);
  expect(await client.connect.getSession(session.id)).toMatchObject({ status: 'pending' });
  await app.tenant.connectSandbox('dora', { external_user_id: 'user/1' });
  expect((await client.users.list()).data).toMatchObject([{ external_user_id: 'user/1' }]);
  expect(await client.users.get('user/1')).toMatchObject({ account_count: 1 });
  await expect(client.users.get('user/2')).rejects.toMatchObject({
    code: 'not_found',
    status: 404,
  });
});

test('webhooks: create, list, get, update, rotate, delete', async () => {
  const wanted = { name: 'mine', url: 'https://example.com/hook', events: ['post.published'] };
  const webhook = await client.webhooks.create(wanted as never);
  expect(webhook).toMatchObject({ ...wanted, active: true });
  expect((await client.webhooks.list()).data).toMatchObject([{ id: webhook.id }]);
  expect(await client.webhooks.get(webhook.id)).toMatchObject({ active: true });
  const disabled = await client.webhooks.update(webhook.id, { active: false });
  expect(disabled).toMatchObject({ active: false });
  const { secret } = await client.webhooks.rotate(webhook.id);
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(webhook.secret);
  await client.webhooks.delete(webhook.id);
  expect((await client.webhooks.list()).data).toEqual([]);
});

test('posts: create, wait, validate, update, publish, schedule, cancel, bulk, retry, list', async () => {
  const { id } = await connect('ada');
  const account_ids = [id];
  const wait = '20s';
  const post = await client.posts.create({ caption: 'Hello', account_ids }, { wait });
  expect(post).toMatchObject({
    status: 'published',
    warnings: [],
    results: [{ platform: 'sandbox' }],
  });
  expect(await client.posts.get(post.id)).toMatchObject({ status: 'published' });
  const again = { caption: 'Hello', account_ids };
  const { valid, warnings } = await client.posts.validate(again);
  expect({ valid, codes: warnings.map(({ code }) => code) }).toEqual({
    valid: true,
    codes: ['repeated_content'],
  });
  const draft = await client.posts.create(
    { caption: 'Draft', account_ids, status: 'draft' },
    { wait },
  );
  expect(draft.status).toBe('draft');
  expect(await client.posts.update(draft.id, { caption: 'Better draft' })).toMatchObject({
    caption: 'Better draft',
  });
  expect(await client.posts.publish(draft.id, { wait })).toMatchObject({ status: 'published' });
  const later = { caption: 'Later', account_ids, scheduled_at: inSeconds(3_600) };
  const scheduled = await client.posts.create(later, { wait });
  expect(scheduled.status).toBe('scheduled');
  expect(await client.posts.cancel(scheduled.id)).toMatchObject({ status: 'canceled' });
  expect(await client.posts.delete(scheduled.id)).toEqual({ isPending: false, stillPublic: 0 });
  const [many] = await client.posts.bulkCreate([{ caption: 'One of many', account_ids }]);
  expect(many).toMatchObject({ status: 202, post: { caption: 'One of many' } });
  const csv = `caption,account_ids\nOf a file,${id}\n`;
  expect(await client.posts.bulkCreate(csv, { dryRun: true })).toMatchObject([{ status: 202 }]);
  const rejected = await client.posts.create(
    { caption: 'No [sandbox outcome=rejected]', account_ids },
    { wait },
  );
  expect(rejected).toMatchObject({ status: 'failed', results: [{ error_code: 'rejected' }] });
  const retried = await client.posts.retryResult(rejected.id, rejected.results[0]!.id);
  expect(retried.id).toBe(rejected.results[0]!.id);
  expect(await client.posts.wait(rejected.id, wait)).toMatchObject({ status: 'failed' });
  const { data: attempts } = await client.posts.listAttempts(rejected.id, retried.id);
  expect(attempts.length).toBeGreaterThan(1);
  expect(await client.posts.exportCsv()).toContain('One of many');

  const first = await client.posts.list({ limit: 2 });
  expect(first.data).toHaveLength(2);
  const listed: Post[] = [];
  for await (const each of client.posts.list({ limit: 2, platform: 'sandbox' })) listed.push(each);
  expect(new Set(listed.map((each) => each.id)).size).toBe(4);
  const pages = await Array.fromAsync(client.posts.list({ limit: 3 }).pages());
  expect(pages.map(({ data }) => data.length)).toEqual([3, 1]);
  const filters = { status: ['failed', 'draft'], metadata: { a: 'b' }, label: ['x'] } as const;
  expect((await client.posts.list(filters as never)).data).toEqual([]);
});

test('the wait ends with the post as it is', async () => {
  const { id } = await connect('slow');
  const platform_posts = [{ account_id: id, platform_options: { outcome: 'hang' } }];
  const post = await client.posts.create({ caption: 'Slow', platform_posts }, { wait: '300ms' });
  expect(post.status).toBe('pending');
  const soon = { caption: 'Soon', account_ids: [id], scheduled_at: inSeconds(3) };
  const waited = await client.posts.create(soon, { wait: '20s' });
  expect(waited).toMatchObject({ status: 'published' });
});

test('media: upload, create, get, delete, and a post with the picture', async () => {
  const { id } = await connect('painter');
  const png = await noise(40, 40).png().toBuffer();
  const media = await client.media.upload(new Blob([new Uint8Array(png)]), { filename: 'a.png' });
  expect(media).toMatchObject({ status: 'uploaded', content_type: 'image/png', filename: 'a.png' });
  const post = { caption: 'Picture', account_ids: [id], media_ids: [media.id] };
  expect(await client.posts.create(post, { wait: '20s' })).toMatchObject({ status: 'published' });
  const unused = await client.media.create({ filename: 'b.png', content_type: 'image/png' });
  expect(unused.upload_url).toContain('/uploads/');
  await client.media.delete(unused.id);
  expect(await client.media.get(unused.id)).toMatchObject({ status: 'deleted' });
});

test('API keys, platform credentials and the project', async () => {
  const key = await client.apiKeys.create({ name: 'second', environment: 'test' });
  expect(key).toMatchObject({ name: 'second', environment: 'test' });
  expect((await client.apiKeys.list()).data).toHaveLength(2);
  await client.apiKeys.revoke(key.id);
  expect(await client.apiKeys.current()).toMatchObject({ environment: 'production' });
  const credentials = { client_id: 'a', client_secret: 'b' };
  await client.platformCredentials.set('linkedin', credentials);
  expect((await client.platformCredentials.list()).data).toMatchObject([{ platform: 'linkedin' }]);
  await client.platformCredentials.delete('linkedin', { force: true });
  expect((await client.platformCredentials.list()).data).toEqual([]);
  const { name } = await client.project.get();
  expect(await client.project.update({ name: `${name}!` })).toMatchObject({ name: `${name}!` });
});

test('every listed call was made', async () => {
  const secret = generateWebhookSecret();
  const body = JSON.stringify({ event: 'post.published', data: {} });
  const signed = { secrets: [secret], body, webhookId: 'evt_1' };
  const headers = { ...signWebhook({ ...signed, timestampSeconds: Date.now() / 1_000 }) };
  expect(await verifyWebhook(body, headers, secret)).toMatchObject({ event: 'post.published' });
  const listed = readTable(readPage('docs/sdks.md'), '`unipost`').map(([, name]) =>
    name!.replaceAll('`', ''),
  );
  expect(listed).toHaveLength(42);
  expect(listed.filter((name) => !made.has(name))).toEqual(['verifyWebhook']);
});
