// What the recorded installation has: data of each kind, some ended and some in progress.
import assert from 'node:assert/strict';
import sharp from 'sharp';
import type { Api, ApiAnswer } from '../app/api.ts';
import { concluded, waitFor } from '../checks/killed-program.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read into answers of every shape
type Json = any;

export interface Accounts {
  ada: string;
  bob: string;
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

export const picture = () =>
  sharp({ create: { width: 32, height: 32, channels: 3, background: '#36c' } })
    .png()
    .toBuffer();

/** Sends the request, and returns the data of the answer. */
async function send(asked: Promise<ApiAnswer<Json>>): Promise<Json> {
  const { status, text, body } = await asked;
  assert.ok(status < 300, text);
  return body?.data;
}

async function publish(api: Api, post: object): Promise<Json> {
  const { id } = await send(api.post('/v1/posts', post));
  return waitFor(() => concluded(api, id));
}

/** Everything that ends, with a worker. `receiverUrl` answers 500 to the first request of every delivery. */
export async function makeEnded(api: Api, receiverUrl: string): Promise<Accounts> {
  await send(
    api.patch('/v1/project', {
      name: 'Upgrade',
      brand_color: '#336699',
      return_origins: ['https://app.example.com'],
      privacy_url: 'https://example.com/privacy',
    }),
  );
  await send(api.post('/v1/api-keys', { name: 'reads', scopes: ['posts:read'] }));
  const { id: revoked } = await send(api.post('/v1/api-keys', { name: 'revoked' }));
  await send(api.delete(`/v1/api-keys/${revoked}`));
  await signIn(api);
  const [ada, bob, eve] = (await Promise.all(
    ['ada', 'bob', 'eve'].map((handle) => connect(api, handle)),
  )) as [string, string, string];
  await send(api.delete(`/v1/accounts/${eve}`));
  await send(api.patch(`/v1/accounts/${bob}`, { display_name: 'Bob' }));
  await send(api.post('/v1/connect/sessions', { platform: 'sandbox', external_user_id: 'user_2' }));
  await send(
    api.call('PUT', '/v1/platform-credentials/linkedin', {
      client_id: '1234567890',
      client_secret: 'secret-of-an-app',
    }),
  );
  const webhookId = await makeWebhooks(api, receiverUrl);
  await makePosts(api, { ada, bob });
  await makeMedia(api, ada, receiverUrl);
  const { id: checkId } = await send(api.post(`/v1/accounts/${ada}/checks`, { publish: true }));
  await waitFor(async () => {
    const { status } = await send(api.get(`/v1/accounts/${ada}/checks/${checkId}`));
    return status === 'running' ? undefined : status;
  });
  await redeliver(api, webhookId);
  return { ada, bob };
}

async function connect(api: Api, handle: string): Promise<string> {
  const account = { platform: 'sandbox', credentials: { handle }, external_user_id: 'user_1' };
  return (await send(api.post('/v1/accounts/connect', account))).id;
}

async function signIn({ url, key }: Api): Promise<void> {
  const answer = await fetch(new URL('/dashboard/session', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url },
    body: JSON.stringify({ api_key: key }),
  });
  assert.equal(answer.status, 204);
}

async function makeWebhooks(api: Api, url: string): Promise<string> {
  const { id } = await send(api.post('/v1/webhooks', { url, name: 'all' }));
  const { id: inactive } = await send(api.post('/v1/webhooks', { url, name: 'inactive' }));
  await send(api.patch(`/v1/webhooks/${inactive}`, { active: false }));
  const { id: deleted } = await send(api.post('/v1/webhooks', { url, name: 'deleted' }));
  await send(api.delete(`/v1/webhooks/${deleted}`));
  return id;
}

async function makePosts(api: Api, { ada, bob }: Accounts): Promise<void> {
  const account_ids = [ada];
  const headers = { 'Idempotency-Key': 'once' };
  const keyed = { caption: 'published', account_ids, labels: ['spring'], metadata: { a: '1' } };
  const { id } = await send(api.post('/v1/posts', keyed, { headers }));
  const published = await waitFor(() => concluded(api, id));
  assert.equal(published.status, 'published');
  const refused = { platform_options: { outcome: 'rejected' } };
  assert.equal(
    (await publish(api, { caption: 'failed', platform_posts: [{ account_id: ada, ...refused }] }))
      .status,
    'failed',
  );
  const partly = [{ account_id: ada }, { account_id: bob, ...refused }];
  assert.equal(
    (await publish(api, { caption: 'partial', platform_posts: partly })).status,
    'partial',
  );
  await publish(api, { caption: 'tried twice [sandbox outcome=unavailable times=1]', account_ids });
  const commented = [{ account_id: ada, first_comment: 'a comment' }];
  await publish(api, { caption: 'commented', platform_posts: commented });
  const { id: canceled } = await send(
    api.post('/v1/posts', { caption: 'canceled', account_ids, scheduled_at: inDays(3) }),
  );
  await send(api.post(`/v1/posts/${canceled}/cancel`));
  await send(api.post('/v1/posts', { caption: 'draft', account_ids, status: 'draft' }));
  await send(api.post('/v1/posts', { caption: 'later', account_ids, scheduled_at: inDays(10) }));
  const local = { local: inDays(100).slice(0, 16), timezone: 'Europe/Berlin' };
  await send(api.post('/v1/posts', { caption: 'local', account_ids, schedule: local }));
  const slots = [{ weekday: 'mon', time: '09:00' }];
  const queue = { name: 'Mondays', timezone: 'UTC', account_ids, slots };
  const { id: queueId } = await send(api.post('/v1/queues', queue));
  await send(api.post('/v1/posts', { caption: 'queued', account_ids, queue_id: queueId }));
  const together = [1, 2, 3].map((n) => ({ caption: `together ${n}`, account_ids }));
  const created = await send(api.post('/v1/posts/bulk', { posts: together }));
  for (const { post } of created) await waitFor(() => concluded(api, post.id));
  const result = `/v1/posts/${id}/results/${published.results[0].id}`;
  await send(api.patch(result, { caption: 'published and edited' }));
  await waitFor(async () => {
    const { data } = (await api.get(`/v1/posts/${id}`)).body;
    return data.results[0].edited_at ?? undefined;
  });
}

async function makeMedia(api: Api, account: string, receiverUrl: string): Promise<void> {
  const whole = await picture();
  const given = { filename: 'picture.png', content_type: 'image/png' };
  const { id, upload_url } = await send(api.post('/v1/media', given));
  const uploaded = await fetch(upload_url, { method: 'PUT', body: new Uint8Array(whole) });
  assert.equal(uploaded.status, 200);
  await publish(api, { caption: 'with media', account_ids: [account], media: [{ id }] });
  const media = [{ url: `${receiverUrl}/picture.png` }];
  await publish(api, { caption: 'with fetched media', account_ids: [account], media });
}

/** A retry of a delivery, and a replay, once every delivery has ended. */
async function redeliver(api: Api, webhookId: string): Promise<void> {
  const path = `/v1/webhooks/${webhookId}/deliveries`;
  const delivery = await waitFor(async () => {
    const { data } = (await api.get(`${path}?limit=100`)).body;
    const hasOpen = data.some(({ status }: Json) => /pending|retrying/.test(status));
    return data.length > 0 && !hasOpen ? data[0] : undefined;
  });
  await send(api.post(`/v1/deliveries/${delivery.id}/retry`));
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const { replay_id } = await send(
    api.post(`/v1/webhooks/${webhookId}/replay`, { from, status: ['delivered'] }),
  );
  await waitFor(async () => {
    const { status } = await send(api.get(`/v1/webhooks/${webhookId}/replays/${replay_id}`));
    return status === 'running' ? undefined : status;
  });
}

/** What needs a worker, which doesn't run. */
export async function makeOpen(api: Api, { ada, bob }: Accounts): Promise<void> {
  const account_ids = [ada, bob];
  const { data: hooks } = (await api.get('/v1/webhooks')).body;
  const { id: webhookId } = hooks.find(({ name }: Json) => name === 'all');
  await send(api.post('/v1/posts', { caption: 'open', account_ids }));
  const together = [1, 2].map((n) => ({ caption: `open together ${n}`, account_ids }));
  await send(api.post('/v1/posts/bulk', { posts: together }));
  await send(api.post(`/v1/webhooks/${webhookId}/test`, { event: 'post.published' }));
  await send(api.post(`/v1/accounts/${bob}/checks`, {}));
  const { data: posts } = (await api.get('/v1/posts?status=published&q=with%20media')).body;
  const { id, results } = posts[0];
  await send(api.patch(`/v1/posts/${id}/results/${results[0].id}`, { caption: 'open edit' }));
}
