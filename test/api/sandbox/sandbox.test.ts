// The sandbox's pages and its inbox, as a browser and a webhook meet them.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { generateWebhookSecret, signWebhook } from '../../../activities/delivering/signature.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { createTestSandbox, toTarget, type TestSandbox } from '../../support/app/sandbox.ts';
import { formOf } from '../../support/networks/connection.ts';

let sandbox: TestSandbox;

const database = useDatabase();
beforeAll(() => {
  sandbox = createTestSandbox(database.db);
});

const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml' } };

async function publish(resultId: string, caption: string): Promise<string> {
  const signal = AbortSignal.timeout(5_000);
  const { credentials } = await formOf(sandbox.platform).run({ handle: 'ada' }, signal);
  const answer = await sandbox.platform.commit(
    toTarget(credentials, { resultId, caption }),
    signal,
  );
  return answer.outcome === 'published' ? answer.published.url! : '';
}

describe('a page', () => {
  test('escapes texts of users, runs no scripts, and has only the style that its policy names', async () => {
    const url = await publish('res_page', '<script>alert("1")</script> & \'more\'');
    const response = await sandbox.request(url, asBrowser);
    const text = await response.text();
    expect(text).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;',
    );
    expect(text).not.toContain('<script');
    const policy = response.headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'");
    const style = /<style>([\s\S]*)<\/style>/.exec(text)![1]!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
  });

  test('lists the posts, newest first, of all or of one handle', async () => {
    await publish('res_first', 'the first one');
    await publish('res_second', 'the second one');
    const text = await (await sandbox.request('/sandbox/posts?handle=ada')).text();
    expect(text.indexOf('the second one')).toBeLessThan(text.indexOf('the first one'));
    expect((await sandbox.request('/sandbox/posts?handle=a%00b')).status).toBe(404);
    expect(await (await sandbox.request('/sandbox/posts?handle=nobody')).text()).toContain(
      'No posts yet',
    );
  });

  test.each(['/sandbox/posts/0', '/sandbox/posts/%00', '/sandbox/nowhere'])(
    'is 404 at %s',
    async (path) => {
      expect((await sandbox.request(path)).status).toBe(404);
    },
  );
});

function consentPath(callback: string): string {
  return `/sandbox/consent?${new URLSearchParams({ state: '"x"', callback_url: callback }).toString()}`;
}

describe('the consent page', () => {
  test('shows a form, and its policy allows the form to redirect to the callback', async () => {
    const response = await sandbox.request(consentPath('http://fanfare.test/connect/callback'));
    expect(await response.text()).toContain('value="&quot;x&quot;"');
    expect(response.headers.get('Content-Security-Policy')).not.toContain('form-action');
  });

  test.each(['https://evil.test/', 'http://fanfare.test.evil.test/', 'javascript:alert(1)', ''])(
    'never redirects to %j',
    async (callback) => {
      expect((await sandbox.request(consentPath(callback))).status).toBe(400);
      const body = new URLSearchParams({ state: 's', callback_url: callback, decision: 'deny' });
      const answer = await sandbox.request('/sandbox/consent', { method: 'POST', body });
      expect(answer.status).toBe(400);
    },
  );

  test('asks again after an invalid handle', async () => {
    const body = new URLSearchParams({
      state: 's',
      callback_url: 'http://fanfare.test/connect/callback',
      handle: 'a b',
      decision: 'allow',
    });
    const answer = await sandbox.request('/sandbox/consent', { method: 'POST', body });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('role="alert"');
  });
});

interface Shown {
  data: { body: string; status: number; signature_holds: boolean | null }[];
}

async function readInbox(name: string, query = ''): Promise<Shown['data']> {
  const response = await sandbox.request(`/sandbox/inbox/${name}?format=json${query}`);
  return ((await response.json()) as Shown).data;
}

async function readVerdicts(name: string, query = '') {
  return (await readInbox(name, query)).map((request) => request.signature_holds);
}

function send(name: string, delivery: string, query = '', body = '{}') {
  return sandbox.request(`/sandbox/inbox/${name}${query}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', 'X-Service-Delivery': delivery },
  });
}

describe('the inbox', () => {
  test('keeps no cookie, since anyone may read it', async () => {
    const headers = { Cookie: 'fanfare_session=secret', 'X-Kept': 'yes' };
    await sandbox.request('/sandbox/inbox/cookies', { method: 'POST', body: '{}', headers });
    const { data } = (await (await sandbox.request('/sandbox/inbox/cookies')).json()) as {
      data: { headers: Record<string, string> }[];
    };
    expect(data[0]!.headers).toMatchObject({ 'x-kept': 'yes' });
    expect(data[0]!.headers).not.toHaveProperty('cookie');
  });

  test('lists requests newest first, and clears them on demand', async () => {
    await send('kept', 'dlv_1', '', '{"n":1}');
    await send('kept', 'dlv_2', '', '{"n":2}');
    const requests = await readInbox('kept');
    expect(requests.map((request) => request.body)).toEqual(['{"n":2}', '{"n":1}']);
    expect(requests[0]).toEqual({
      received_at: expect.any(String),
      path: '/sandbox/inbox/kept',
      headers: expect.objectContaining({ 'x-service-delivery': 'dlv_2' }),
      body: '{"n":2}',
      status: 200,
      signature_holds: null,
    });
    expect(await readInbox('other')).toEqual([]);
    await sandbox.request('/sandbox/inbox/kept', { method: 'DELETE' });
    expect(await readInbox('kept')).toEqual([]);
  });

  test('keeps the last hundred', async () => {
    for (let i = 0; i < 105; i++) await send('full', `dlv_${i}`, '', String(i));
    const requests = await readInbox('full');
    expect(requests).toHaveLength(100);
    expect(requests[0]!.body).toBe('104');
  });

  test('checks signatures with the secret', async () => {
    const secret = generateWebhookSecret();
    const body = '{"event":"post.published"}';
    const signed = signWebhook({
      secrets: [secret],
      body,
      webhookId: 'evt_1',
      timestampSeconds: 1_700_000_000,
    });
    const receive = (headers: Record<string, string>, sent = body) =>
      sandbox.request('/sandbox/inbox/signed', { method: 'POST', body: sent, headers });
    await receive({ ...signed });
    await receive({ ...signed }, `${body} `);
    await receive({ ...signed, 'webhook-signature': 'v1,AAAA' });
    await receive({});
    expect(await readVerdicts('signed')).toEqual([null, null, null, null]);
    const asked = `&secret=${encodeURIComponent(secret)}`;
    expect(await readVerdicts('signed', asked)).toEqual([false, false, false, true]);
    const put = (value: string) =>
      sandbox.request('/sandbox/inbox/signed/secret', { method: 'PUT', body: value });
    expect((await put('nonsense')).status).toBe(422);
    expect((await put(JSON.stringify({ secret }))).status).toBe(204);
    expect(await readVerdicts('signed')).toEqual([false, false, false, true]);
    const page = await sandbox.request('/sandbox/inbox/signed', asBrowser);
    expect(await page.text()).not.toContain(secret);
  });

  test('fails the first requests of every delivery, as its URL requests', async () => {
    const statuses = [];
    for (const delivery of ['dlv_a', 'dlv_a', 'dlv_b', 'dlv_a']) {
      statuses.push((await send('failing', delivery, '?fail=2')).status);
    }
    expect(statuses).toEqual([503, 503, 503, 200]);
    expect((await send('failing', 'dlv_c', '?fail=1&status=429')).status).toBe(429);
    expect((await send('failing', 'dlv_d', '?status=204')).status).toBe(204);
    const started = Date.now();
    await send('failing', 'dlv_e', '?delay_ms=120');
    expect(Date.now() - started).toBeGreaterThanOrEqual(119);
    expect((await send('failing', 'dlv_f', '?fail=often')).status).toBe(422);
  });

  test('is a page for browsers and JSON for other clients', async () => {
    await send('shown', 'dlv_1', '', '{"x":"<b>"}');
    const page = await (await sandbox.request('/sandbox/inbox/shown', asBrowser)).text();
    expect(page).toContain('&lt;b&gt;');
    const other = await sandbox.request('/sandbox/inbox/shown', { headers: { Accept: '*/*' } });
    expect(other.headers.get('Content-Type')).toContain('json');
    expect(await (await sandbox.request('/sandbox/inbox', asBrowser)).text()).toContain('shown');
  });

  test('refuses a delivery ID over 128 bytes', async () => {
    expect((await send('counted', 'd'.repeat(128), '?fail=1')).status).toBe(503);
    const refused = await send('counted', 'd'.repeat(129), '?fail=1');
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('X-Service-Delivery');
    expect(await readInbox('counted')).toHaveLength(1);
  });

  test('refuses invalid names and bodies over 1 MiB', async () => {
    expect((await send('a%2Fb', 'dlv_1')).status).toBe(404);
    expect((await send('big', 'dlv_1', '', 'x'.repeat(1_048_577))).status).toBe(413);
    const body = JSON.stringify({ secret: 'x'.repeat(1_048_577) });
    const put = await sandbox.request('/sandbox/inbox/big/secret', { method: 'PUT', body });
    expect(put.status).toBe(413);
  });
});
