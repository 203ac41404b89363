// The TypeScript client without a server: webhook messages, servers of other versions, options and browsers.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { signWebhook, generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import {
  Fanfare,
  FanfareError,
  verifyWebhook,
  type WebhookMessage,
  type WebhookVerificationError,
} from '../../../clients/typescript/src/index.ts';
import { eventCatalogue } from '../../../schema/event-types.ts';

const secret = generateWebhookSecret();
const text = JSON.stringify({
  event: 'post.published',
  timestamp: '2026-01-01T00:00:00Z',
  data: {},
});

function sign(
  options: { secrets?: string[]; ageS?: number; body?: string } = {},
): Record<string, string> {
  const { secrets = [secret], ageS = 0, body = text } = options;
  const timestampSeconds = Date.now() / 1_000 - ageS;
  return { ...signWebhook({ secrets, body, webhookId: 'evt_1', timestampSeconds }) };
}

const codeOf = (verifying: Promise<unknown>) =>
  verifying.then(
    () => 'valid',
    (error: unknown) => (error as WebhookVerificationError).code,
  );

describe('verifyWebhook', () => {
  test('returns the message, for each form of body and headers', async () => {
    const headers = sign();
    const message: WebhookMessage = await verifyWebhook(text, headers, [secret]);
    expect(message).toEqual(JSON.parse(text));
    if (message.event === 'post.published') expect(message.data.results).toBeUndefined();
    const bytes = new TextEncoder().encode(text);
    expect(await verifyWebhook(bytes, new Headers({ ...headers }), secret)).toEqual(message);
    const lists = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(await verifyWebhook(bytes, lists, [secret])).toEqual(message);
  });

  test('passes on an event type and members that it does not know', async () => {
    const body = JSON.stringify({ ...JSON.parse(text), event: 'post.teleported', dimension: 5 });
    expect(await verifyWebhook(body, sign({ body }), secret)).toEqual(JSON.parse(body));
  });

  test('accepts several secrets, and several signatures', async () => {
    const other = generateWebhookSecret();
    expect(await codeOf(verifyWebhook(text, sign(), [other, secret]))).toBe('valid');
    expect(await codeOf(verifyWebhook(text, sign({ secrets: [other, secret] }), secret))).toBe(
      'valid',
    );
    expect(await codeOf(verifyWebhook(text, sign(), [other]))).toBe('invalid_signature');
  });

  test('refuses what is not signed, not now, or no message', async () => {
    const headers = sign();
    const { 'webhook-signature': _, ...unsigned } = headers;
    const cases: [string, () => Promise<unknown>][] = [
      ['missing_header', () => verifyWebhook(text, unsigned, secret)],
      ['invalid_signature', () => verifyWebhook(`${text} `, headers, secret)],
      [
        'invalid_signature',
        () => verifyWebhook(text, { ...headers, 'webhook-id': 'evt_2' }, secret),
      ],
      [
        'invalid_signature',
        () => verifyWebhook(text, { ...headers, 'webhook-signature': 'v1,%' }, secret),
      ],
      ['message_too_old', () => verifyWebhook(text, sign({ ageS: 301 }), secret)],
      ['message_too_new', () => verifyWebhook(text, sign({ ageS: -301 }), secret)],
      [
        'message_too_old',
        () => verifyWebhook(text, { ...headers, 'webhook-timestamp': 'x' }, secret),
      ],
      ['invalid_secret', () => verifyWebhook(text, headers, [])],
      ['invalid_secret', () => verifyWebhook(text, headers, ['whsec_%'])],
      ['malformed_message', () => verifyWebhook('[]', sign({ body: '[]' }), secret)],
    ];
    for (const [code, verify] of cases) expect(await codeOf(verify()), code).toBe(code);
    const aged = sign({ ageS: 1e9 });
    for (const toleranceS of [Number.NaN, -1, '300', null]) {
      const given = { toleranceS: toleranceS as number };
      expect(await codeOf(verifyWebhook(text, aged, secret, given))).toBe('configuration');
    }
    const old = sign({ ageS: 301 });
    expect(await codeOf(verifyWebhook(text, old, secret, { toleranceS: 600 }))).toBe('valid');
    const error: unknown = await verifyWebhook(text, {}, secret).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FanfareError);
  });

  test('passes each event type, and types of later versions', async () => {
    for (const event of [...Object.keys(eventCatalogue), 'post.teleported']) {
      const body = JSON.stringify({ event, timestamp: '2026-01-01T00:00:00Z', data: { new: 1 } });
      const message = await verifyWebhook(body, sign({ body }), secret);
      expect(message).toMatchObject({ event, data: { new: 1 } });
    }
  });
});

const at = (answer: (path: string) => Response) =>
  new Fanfare({
    url: 'https://fanfare.test/base/',
    apiKey: 'key',
    fetch: async (url) => answer(url as string),
  });

describe('a server of another version', () => {
  test('may have unknown members, enum values and error codes', async () => {
    const post = {
      id: 'post_1',
      status: 'teleported',
      dimension: 5,
      results: [{ platform: 'orb' }],
    };
    const newer = at(() => Response.json({ data: post, warnings: [], new: true }, { status: 202 }));
    const created = await newer.posts.create({ caption: 'Hi' }, { wait: '1m' });
    expect(created).toEqual({ ...post, warnings: [] });
    const error = { code: 'teleport_blocked', message: 'No.', is_retriable: false, gate: 7 };
    const refusing = at(() => Response.json({ error, request_id: 'req_1' }, { status: 418 }));
    await expect(refusing.posts.get('post_1')).rejects.toMatchObject({
      code: 'teleport_blocked',
      status: 418,
      requestId: 'req_1',
      details: { gate: 7 },
    });
  });

  test('may lack members and routes', async () => {
    const older = at(() => Response.json({ data: [{ id: 'acc_1' }], meta: {} }));
    expect(await Array.fromAsync(older.accounts.list())).toEqual([{ id: 'acc_1' }]);
    const error = { code: 'not_found', message: 'No such path.', is_retriable: false };
    const lacking = at(() => Response.json({ error }, { status: 404 }));
    await expect(lacking.queues.list()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('options', () => {
  afterEach(() => vi.unstubAllEnvs());
  const given = { url: 'https://fanfare.test', apiKey: 'key' };
  const codeFor = (options: object) => {
    try {
      return typeof new Fanfare(options);
    } catch (error) {
      return (error as FanfareError).code;
    }
  };

  test('come from the environment, and those of the call win', async () => {
    vi.stubEnv('FANFARE_URL', undefined);
    vi.stubEnv('FANFARE_API_KEY', undefined);
    expect(codeFor({})).toBe('configuration');
    expect(codeFor({ url: given.url })).toBe('configuration');
    vi.stubEnv('FANFARE_URL', 'https://env.test');
    vi.stubEnv('FANFARE_API_KEY', 'env-key');
    const sent: string[] = [];
    const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
      sent.push(`${url as string} ${new Headers(init.headers).get('Authorization')}`);
      return Response.json({ data: {} });
    };
    await new Fanfare({ fetch }).limits.get();
    await new Fanfare({ ...given, fetch }).limits.get();
    expect(sent).toEqual([
      'https://env.test/v1/limits Bearer env-key',
      'https://fanfare.test/v1/limits Bearer key',
    ]);
  });

  test('are refused if they make no sense', async () => {
    const refused = [{ url: 'nowhere' }, { url: 'https://a:b@c.test' }, { timeout: '5 days' }];
    for (const wrong of [...refused, { maxRetries: -1 }]) {
      expect(codeFor({ ...given, ...wrong }), JSON.stringify(wrong)).toBe('configuration');
    }
    const client = at(() => Response.json({ data: {} }));
    for (const id of ['', '.', '..', '\ud800'])
      expect(() => client.posts.get(id)).toThrow(
        expect.objectContaining({
          code: 'configuration',
          message: `${JSON.stringify(id)} is no ID.`,
        }),
      );
    const created = client.posts.create(
      { caption: 'Keyed', account_ids: [] },
      { idempotencyKey: '5 €' },
    );
    await expect(created).rejects.toMatchObject({ code: 'configuration' });
    expect(await client.posts.get('a/b').catch(() => 'refused')).toEqual({});
  });

  test('keys are refused in browsers and apps, which their users can read', () => {
    const places = [
      { navigator: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' } },
      { navigator: { product: 'ReactNative' } },
      { document: {} },
    ];
    for (const place of places) {
      for (const [name, value] of Object.entries(place)) vi.stubGlobal(name, value);
      expect(codeFor(given), JSON.stringify(place)).toBe('configuration');
      vi.unstubAllGlobals();
    }
    expect(codeFor(given)).toBe('object');
  });
});
