// A published client of this family of APIs, unaltered: the Python package unipost.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { noise } from '../../support/media/samples.ts';
import { installPythonPackages, python } from '../../support/servers/python-packages.ts';

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

let app: TestApp;
let folder: string;
/** What the client returned, by the name of the call. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
let returned: Record<string, any>;

beforeAll(async () => {
  const packages = await installPythonPackages('published-client', fileOf('requirements.txt'));
  app = await startApp();
  await app.tenant.connectSandbox('bob', { external_user_id: 'user/1' });
  folder = await mkdtemp(join(tmpdir(), 'fanfare-client-'));
  const picture = join(folder, 'picture.png');
  await writeFile(picture, await noise(40, 40).png().toBuffer());
  const { stdout } = await promisify(execFile)(
    python,
    [fileOf('calls.py'), app.url, app.tenant.key, picture],
    { env: { PATH: process.env['PATH'], PYTHONPATH: packages }, timeout: 60_000 },
  );
  returned = JSON.parse(stdout) as typeof returned;
}, 300_000);

afterAll(async () => {
  await app?.stop();
  if (folder) await rm(folder, { recursive: true });
});

test('the client connects, lists, gets and disconnects accounts, and reads their health and capabilities', () => {
  const { connected } = returned;
  expect(connected).toMatchObject({ platform: 'sandbox', account_name: 'ada', status: 'active' });
  expect(returned['accounts'].data).toContainEqual(connected);
  expect(returned['accounts of the user'].data).toMatchObject([{ account_name: 'bob' }]);
  expect(returned['account']).toEqual(connected);
  expect(returned['health']).toMatchObject({ status: 'ok', last_successful_post_at: null });
  expect(returned['capabilities']).toMatchObject({ platform: 'sandbox', text: { max: 5_000 } });
  expect(returned['platform capabilities']).toContainEqual(
    expect.objectContaining({ platform: 'sandbox' }),
  );
  expect(returned['disconnected'].data).toMatchObject([{ id: connected.id }]);
});

test('the client works with connect sessions and users', () => {
  const { session } = returned;
  expect(session).toMatchObject({ platform: 'sandbox', status: 'pending' });
  expect(session.url).toContain(`/connect/${session.id}?token=`);
  expect(returned['session read']).toMatchObject({ id: session.id, status: 'pending' });
  expect(returned['users'].data).toMatchObject([{ external_user_id: 'user/1' }]);
  expect(returned['user']).toMatchObject({ external_user_id: 'user/1', account_count: 1 });
  expect(returned['user missing']).toMatchObject({ status: 404, code: 'not_found' });
});

test('webhooks: create, list, get, update, rotate, delete', () => {
  const { webhook } = returned;
  expect(webhook).toMatchObject({ name: 'mine', events: ['post.published'], active: true });
  expect(webhook.secret).toMatch(/^whsec_/);
  expect(returned['webhooks'].data).toMatchObject([{ id: webhook.id }]);
  expect(returned['webhook read']).toMatchObject({ id: webhook.id, active: true });
  expect(returned['webhook disabled']).toMatchObject({ id: webhook.id, active: false });
  expect(returned['webhook rotated'].secret).toMatch(/^whsec_/);
  expect(returned['webhook rotated'].secret).not.toBe(webhook.secret);
});

test('posts: create, replay, validate, update, publish, schedule, cancel, bulk, retry, list', () => {
  const { created } = returned;
  expect(created).toMatchObject({ caption: 'Hello', status: 'pending' });
  expect(returned['replayed']).toMatchObject({ id: created.id });
  expect(returned['published']).toMatchObject({
    id: created.id,
    status: 'published',
    results: [{ status: 'published', platform: 'sandbox', url: expect.any(String) }],
  });
  expect(returned['valid']).toMatchObject({ valid: true, errors: [] });
  expect(returned['invalid']).toMatchObject({
    status: 422,
    code: 'validation_error',
    request_id: expect.stringMatching(/^req_/),
  });
  expect(returned['updated']).toMatchObject({ caption: 'Better draft', status: 'draft' });
  expect(returned['draft published']).toMatchObject({ status: 'published' });
  expect(returned['scheduled']).toMatchObject({ status: 'scheduled' });
  expect(returned['canceled']).toMatchObject({ status: 'canceled' });
  expect(returned['bulk']).toMatchObject([{ status: 202, post: { caption: 'One of many' } }]);
  expect(returned['failed']).toMatchObject({
    status: 'failed',
    results: [{ status: 'failed', provider_error: { code: 'content_rejected' } }],
  });
  expect(returned['retried']).toMatchObject({ id: returned['failed'].results[0].id });
  expect(returned['listed']).toHaveLength(4);
});

test('media: two-step upload, get, delete, and a post with the picture', () => {
  const { media } = returned;
  expect(media).toMatchObject({ status: 'uploaded', content_type: 'image/png' });
  expect(returned['post with media']).toMatchObject({ status: 'published' });
  expect(returned['upload']).toMatchObject({ status: 'pending', upload_url: expect.any(String) });
});

test('the client works with API keys and platform credentials', () => {
  expect(returned['api key']).toMatchObject({ name: 'second', environment: 'test' });
  expect(returned['api keys'].data).toHaveLength(2);
  expect(returned['platform credentials'].data).toEqual([]);
});
