// The log of one exchange: its times, and the redaction of secrets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, type SendableDelivery } from '../../../activities/delivering/exchange.ts';
import { createSafeFetch, type SafeFetch } from '../../../activities/egress/client.ts';
import { generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { rowsVault } from '../../support/rows/rows.ts';

let safeFetch: SafeFetch;

beforeAll(() => {
  safeFetch = createSafeFetch({
    guard: createUrlGuard({ allowPrivateCidrs: ['127.0.0.0/8'] }),
    connectionsPerOrigin: 1,
  });
});
afterAll(() => safeFetch.close());

function deliveryTo(url: string): SendableDelivery {
  const sealed = rowsVault.seal(generateWebhookSecret(), 'webhook_subscriptions/wh_1');
  return {
    id: 'dlv_1',
    project_id: 'prj_1',
    event_id: 'evt_1',
    event: 'post.published',
    trigger: 'event',
    body: '{}',
    webhook: {
      id: 'wh_1',
      url,
      secret: sealed.ciphertext,
      secret_key_id: sealed.keyId,
      previous_secret: null,
      previous_secret_key_id: null,
      previous_secret_until: null,
    },
  };
}

function send(url: string, now = Date.now) {
  const dependencies = { vault: rowsVault, safeFetch, timeoutMs: 2_000, now };
  return exchange(dependencies, deliveryTo(url), 1_500);
}

describe('exchange', () => {
  test('keeps signatures and credentials out of the log, even if a receiver echoes them', async () => {
    const secrets = {
      'www-authenticate': 'Basic realm="word"',
      'proxy-authenticate': 'Basic realm="word"',
      'set-cookie': 'session=word',
      cookie: 'session=word',
      authorization: 'Bearer word',
      'proxy-authorization': 'Basic word',
      'X-API-Key': 'word',
    };
    await using receiver = await startReceiver({
      respond: ({ headers }) => ({
        headers: {
          ...secrets,
          'X-Service-Signature': String(headers['x-service-signature']),
          'Webhook-Signature': String(headers['webhook-signature']),
          'x-echo': String(headers['x-service-signature']),
          'x-service-event': String(headers['x-service-event']),
        },
        body: JSON.stringify(headers),
      }),
    });
    const logged = await send(receiver.url);
    const [sent] = receiver.requests;
    expect(logged.request_headers).toMatchObject({
      'X-Service-Signature': '[redacted]',
      'webhook-signature': '[redacted]',
      'X-Service-Event': 'post.published',
    });
    expect(logged.response_headers).toMatchObject({ 'x-service-event': 'post.published' });
    for (const name of Object.keys(secrets)) {
      expect(logged.response_headers).toHaveProperty(name.toLowerCase(), '[redacted]');
    }
    const text = JSON.stringify(logged);
    expect(text).not.toContain('word');
    expect(text).not.toContain(
      String(sent!.headers['x-service-signature']).slice('sha256='.length),
    );
    expect(text).not.toContain(String(sent!.headers['webhook-signature']).slice('v1,'.length));
    expect(logged.response_body).toContain('sha256=[redacted]');
  });

  test('redacts an echoed signature in any letter case', async () => {
    const caseless = ['toUpperCase', 'toLowerCase', 'toString'] as const;
    await using receiver = await startReceiver({
      respond: ({ headers }) => {
        const sent = `${String(headers['x-service-signature'])} ${String(headers['webhook-signature'])}`;
        const echoes = caseless.map((change) => sent[change]());
        return { headers: { 'x-echo': echoes.join(' ') }, body: echoes.join('\n') };
      },
    });
    const logged = await send(receiver.url);
    const text = JSON.stringify([logged.response_headers, logged.response_body]).toLowerCase();
    const { headers } = receiver.requests[0]!;
    const digests = [
      String(headers['x-service-signature']).slice('sha256='.length),
      String(headers['webhook-signature']).slice('v1,'.length),
    ];
    for (const digest of digests) expect(text).not.toContain(digest.toLowerCase());
    expect(logged.response_body).toBe(
      [
        'SHA256=[redacted] V1,[redacted]',
        'sha256=[redacted] v1,[redacted]',
        'sha256=[redacted] v1,[redacted]',
      ].join('\n'),
    );
  });

  test('redacts a signature that is echoed as a header name', async () => {
    const digestOf = (headers: Record<string, unknown>) =>
      String(headers['x-service-signature']).slice('sha256='.length);
    await using receiver = await startReceiver({
      respond: ({ headers }) => ({ headers: { [`x-${digestOf(headers)}`]: 'here' } }),
    });
    const logged = await send(receiver.url);
    expect(JSON.stringify(logged)).not.toContain(digestOf(receiver.requests[0]!.headers));
    expect(logged.response_headers).toMatchObject({ 'x-[redacted]': 'here' });
  });

  test('starts when it gets a connection, so its start plus its duration is its end', async () => {
    const delayMs = 300;
    await using receiver = await startReceiver({ respond: () => ({ delayMs }) });
    const [first, second] = await Promise.all([send(receiver.url), send(receiver.url)]);
    for (const { started_at, ended_at, timings } of [first, second]) {
      const lengthMs = ended_at.getTime() - started_at.getTime();
      expect(Math.abs(lengthMs - timings.total_ms)).toBeLessThanOrEqual(1);
    }
    // The second waits for the connection of the first. Its start is measured back from its own end, so a
    // busy process may put it a little before the recorded end of the first.
    const waitedMs = second.started_at.getTime() - first.started_at.getTime();
    expect(waitedMs).toBeGreaterThan(delayMs / 2);
  });

  test('has the same start and end if the clock stands still', async () => {
    await using receiver = await startReceiver({ respond: () => ({ delayMs: 50 }) });
    const { started_at, ended_at } = await send(receiver.url, () => 1_000);
    expect([started_at, ended_at]).toEqual([new Date(1_000), new Date(1_000)]);
  });
});
