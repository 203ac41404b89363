// Every route of the REST API has a method in the TypeScript client, which calls it as the OpenAPI document says.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Fanfare } from '../../../clients/typescript/src/index.ts';
import openapi from '../../../schema/openapi.json' with { type: 'json' };

/** Uploads have no key. */
const documented = Object.entries(openapi.paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, methods]) =>
    Object.keys(methods).map((name) => `${name.toUpperCase()} ${path}`),
  );

/** Values of the parameters of each path. */
const names = ['id', 'result_id', 'kind', 'check_id', 'external_user_id', 'platform', 'replay_id'];

/** Calls each method of each group with the names of parameters as IDs, and records the requests. */
async function recordCalls(): Promise<string[]> {
  const calls: string[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    const { pathname } = new URL(url);
    const path = pathname.replace(/\/(\w+)(?=\/|$)/g, (part, word: string) =>
      names.includes(word) ? `/{${word}}` : part,
    );
    calls.push(`${init.method} ${path}`);
    const written = { id: 'id', upload_url: 'https://upload.test' };
    return Response.json({ data: init.method === 'GET' ? [] : written, meta: {} });
  };
  const client = new Fanfare({ url: 'https://fanfare.test', apiKey: 'key', fetch });
  const { posts, queues, accounts, users, webhooks, deliveries, platformCredentials } = client;
  const body = {} as never;
  await posts.create(body);
  await posts.list();
  await posts.get('id');
  await posts.update('id', body);
  await posts.delete('id');
  await posts.validate(body);
  await posts.publish('id');
  await posts.duplicate('id');
  await posts.cancel('id');
  await posts.bulkCreate([]);
  await posts.bulkUpdate([]);
  await posts.bulkCancel(body);
  await posts.bulkDelete(body);
  await posts.counts(body);
  await posts.exportCsv();
  await posts.retryResult('id', 'result_id');
  await posts.updateResult('id', 'result_id', body);
  await posts.unpublishResult('id', 'result_id');
  await posts.markResultUnpublished('id', 'result_id');
  await posts.listAttempts('id', 'result_id');
  await posts.createReviewLink('id', body);
  await client.labels.list();
  await queues.create(body);
  await queues.list();
  await queues.get('id');
  await queues.update('id', body);
  await queues.delete('id');
  await queues.slots('id');
  await queues.reschedule('id');
  await client.media.create(body);
  await client.media.list();
  await client.media.get('id');
  await client.media.delete('id');
  await client.media.renewUploadUrl('id');
  await accounts.connect(body);
  await accounts.import(body);
  await accounts.list();
  await accounts.get('id');
  await accounts.update('id', body);
  await accounts.disconnect('id');
  await accounts.health('id');
  await accounts.usage('id');
  await accounts.capabilities('id');
  await accounts.choices('id', 'kind');
  await accounts.createCheck('id');
  await accounts.getCheck('id', 'check_id');
  await users.list();
  await users.get('external_user_id');
  await users.erase('external_user_id');
  await client.connect.createSession(body);
  await client.connect.getSession('id');
  await client.platforms.capabilities();
  await platformCredentials.list();
  await platformCredentials.get('platform');
  await platformCredentials.set('platform', body);
  await platformCredentials.delete('platform');
  await webhooks.create(body);
  await webhooks.list();
  await webhooks.get('id');
  await webhooks.update('id', body);
  await webhooks.delete('id');
  await webhooks.rotate('id');
  await webhooks.test('id');
  await webhooks.replay('id', body);
  await webhooks.listReplays('id');
  await webhooks.getReplay('id', 'replay_id');
  await deliveries.list();
  await deliveries.list({ webhook_id: 'id' });
  await deliveries.counts(body);
  await deliveries.get('id');
  await deliveries.retry('id');
  await client.events.list();
  await client.events.get('id');
  await client.eventTypes.list();
  await client.apiKeys.create(body);
  await client.apiKeys.list();
  await client.apiKeys.current();
  await client.apiKeys.get('id');
  await client.apiKeys.revoke('id');
  await client.project.get();
  await client.project.update(body);
  await client.limits.get();
  return calls;
}

test('each route has a method', async () => {
  const calls = await recordCalls();
  expect(calls.toSorted(), 'Add a method to clients/typescript/src/resources.').toEqual(
    documented.toSorted(),
  );
});

test('the generated types are those of the current document', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url));
  const digest = createHash('sha256').update(read('schema/openapi.json')).digest('hex');
  const head = read('clients/typescript/src/openapi.ts').toString().slice(0, 200);
  expect(head, 'Run `npm ci && npm run generate` in clients/typescript.').toContain(digest);
});
