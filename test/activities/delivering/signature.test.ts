// The webhook signature, checked as receivers check it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import {
  generateWebhookSecret,
  secretPreview,
  signWebhook,
} from '../../../activities/delivering/signature.ts';

const body = JSON.stringify({
  event: 'post.published',
  timestamp: '2026-01-02T03:04:05.678Z',
  data: { caption: 'Grüße aus Zürich 🚀' },
});
const webhookId = 'evt_01';

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** A receiver's check as the contract describes it. */
function holds(rawBody: string, header: string, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(rawBody, 'utf8').digest('hex')}`;
  return (
    header.length === expected.length && timingSafeEqual(Buffer.from(header), Buffer.from(expected))
  );
}

describe('generateWebhookSecret', () => {
  test('makes 32 random bytes in base64 after whsec_', () => {
    const secret = generateWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(generateWebhookSecret()).not.toBe(secret);
  });
});

describe('secretPreview', () => {
  test('shows four characters after the prefix', () => {
    expect(secretPreview('whsec_abcdefgh')).toBe('whsec_abcd…');
  });
});

describe('signWebhook', () => {
  test('returns the digest of a known example', () => {
    const headers = signWebhook({
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      body: '{"test": 2432232314}',
      webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1614265330,
    });
    expect(headers).toEqual({
      'X-Service-Signature':
        'sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test.each([
    ['text', body],
    ['bytes', Buffer.from(body)],
  ])('signs a body given as %s', (_form, given) => {
    const secret = generateWebhookSecret();
    const headers = signWebhook({
      secrets: [secret],
      body: given,
      webhookId,
      timestampSeconds: nowSeconds(),
    });
    expect(headers['X-Service-Signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(holds(body, headers['X-Service-Signature'], secret)).toBe(true);
    expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
  });

  test('makes signatures that are invalid for another body or secret', () => {
    const secret = generateWebhookSecret();
    const headers = signWebhook({
      secrets: [secret],
      body,
      webhookId,
      timestampSeconds: nowSeconds(),
    });
    const changed = body.replace('published', 'failed');
    const other = generateWebhookSecret();
    expect(holds(changed, headers['X-Service-Signature'], secret)).toBe(false);
    expect(holds(body, headers['X-Service-Signature'], other)).toBe(false);
    expect(() => new Webhook(secret).verify(changed, { ...headers })).toThrow(/signature/);
    expect(() => new Webhook(other).verify(body, { ...headers })).toThrow(/signature/);
  });

  test('signs with both secrets during an overlap, but X-Service-Signature only with the newest', () => {
    const [newest, previous] = [generateWebhookSecret(), generateWebhookSecret()];
    const headers = signWebhook({
      secrets: [newest, previous],
      body,
      webhookId,
      timestampSeconds: nowSeconds(),
    });
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(new Webhook(newest).verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(new Webhook(previous).verify(body, { ...headers })).toEqual(JSON.parse(body));
    expect(holds(body, headers['X-Service-Signature'], newest)).toBe(true);
    expect(holds(body, headers['X-Service-Signature'], previous)).toBe(false);
  });

  test('writes whole seconds, and refuses to sign without a secret', () => {
    const headers = signWebhook({
      secrets: [generateWebhookSecret()],
      body,
      webhookId,
      timestampSeconds: 1_700_000_000.9,
    });
    expect(headers['webhook-timestamp']).toBe('1700000000');
    expect(() => signWebhook({ secrets: [], body, webhookId, timestampSeconds: 1 })).toThrow(
      TypeError,
    );
  });
});
