// `listen` forwards real webhook requests and prints their results.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { listenHere, listenInTerminal, startListening } from '../../support/receivers/listener.ts';
import {
  startReceiver,
  type ReceivedRequest,
  type Receiver,
} from '../../support/receivers/receiver.ts';
import type { Tenant } from '../../support/app/seed.ts';

let tenant: Tenant;
let target: { url: string; key: string };
let receiver: Receiver;

const app = useApp();

beforeEach(async () => {
  tenant = await app.createTenant();
  target = { url: app.url, key: tenant.key };
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const secret = 'whsec_bGlzdGVuIHRvIG1lLCBub3c';
const forwardTo = (path = '/hook') => ['--forward-to', `${receiver.url}${path}`];

function expectGenuine({ headers, body, text }: ReceivedRequest, key: string): void {
  const hmac = createHmac('sha256', key).update(body).digest('hex');
  expect(headers['x-service-signature']).toBe(`sha256=${hmac}`);
  new Webhook(key).verify(text, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
}

describe('a forwarded request', () => {
  test("equals the request to the project's webhook, except for its signature", async () => {
    const webhook = await tenant.createWebhook(`${receiver.url}/real`);
    await using listener = await startListening(target, ...forwardTo(), '--secret', secret);
    const account = await tenant.connectSandbox('ada');
    await tenant.createPost({ caption: 'Grüße, 世界 🎉 \u2028', account_ids: [account.id] });
    const requests = await receiver.waitForCount(4);
    for (const event of ['account.connected', 'post.published']) {
      const of = (path: string) =>
        requests.find(
          (request) => request.path === path && request.headers['x-service-event'] === event,
        )!;
      const [real, forwarded] = [of('/real'), of('/hook')];
      expect(forwarded.body.equals(real.body)).toBe(true);
      expectGenuine(real, webhook.secret);
      expectGenuine(forwarded, secret);
      expect(withoutSigning(forwarded)).toEqual(withoutSigning(real));
      expect(String(forwarded.headers['x-service-delivery'])).toBe(
        String(forwarded.headers['webhook-id']).replace('evt_', 'dlv_'),
      );
    }
    expect(listener.output()).toContain(`Signing secret: ${secret}\n`);
  });

  test('is signed with a new secret that is printed first', async () => {
    await using listener = await listenHere(target, ...forwardTo());
    await tenant.connectSandbox('ada');
    const request = await receiver.waitFor();
    const [, printed] = /^Signing secret: (whsec_\S{44})\n/.exec(listener.output())!;
    expectGenuine(request, printed!);
  });

  test('is sent only for the given event types', async () => {
    const other = await app.createTenant('other');
    await using _all = await listenHere(
      target,
      ...forwardTo(),
      '--events',
      'post.published,account.disconnected',
    );
    await other.connectSandbox('bob');
    const account = await tenant.connectSandbox('ada');
    await tenant.api.delete(`/v1/accounts/${account.id}`);
    const { headers } = await receiver.waitFor();
    expect(headers['x-service-event']).toBe('account.disconnected');
    expect(headers['x-service-test']).toBeUndefined();
    expect(receiver.requests).toHaveLength(1);
  });

  test('with --test is sent only for test events', async () => {
    const webhook = await tenant.createWebhook(`${receiver.url}/real`);
    await using _tests = await listenHere(target, ...forwardTo(), '--test');
    await tenant.connectSandbox('ada');
    await tenant.api.post(`/v1/webhooks/${webhook.id}/test`, { event: 'post.failed' });
    const { headers } = await receiver.waitFor(({ path }) => path === '/hook');
    expect(headers).toMatchObject({ 'x-service-event': 'post.failed', 'x-service-test': 'true' });
  });
});

function withoutSigning({ headers, method }: ReceivedRequest) {
  const others = Object.entries(headers).filter(
    ([name]) => !/^webhook-(timestamp|signature)$|^x-service-(signature|delivery)$/.test(name),
  );
  return { method, headers: Object.fromEntries(others) };
}

describe('the output', () => {
  test('has a line for each event, whatever its result, and the next event is sent', async () => {
    receiver.respondWith((_, number) => {
      if (number === 1) return { status: 500 };
      if (number === 2) return { status: 307, headers: { location: `${receiver.url}/elsewhere` } };
      // A kept connection that breaks gets a second try.
      return number <= 4 ? 'reset' : { status: 204 };
    });
    await using listener = await listenHere(target, ...forwardTo());
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await tenant.connectSandbox(name)).id);
    await listener.waitForOutput(/ {2}204 {2}/);
    const lines = listener.output().split('\n').slice(2);
    const outcomes = ['500', '307 redirect', 'connection_reset', '204'];
    expect(lines).toEqual([
      ...outcomes.map((outcome, i) =>
        expect.stringMatching(
          `^\\d\\d:\\d\\d:\\d\\d  account[.]connected {2,}${ids[i]}  ${outcome}  \\d+ ms$`,
        ),
      ),
      '',
    ]);
    expect(receiver.requests.map(({ path }) => path)).toEqual(Array(5).fill('/hook'));
  });

  test('with --json is a line of JSON for each event, and nothing else', async () => {
    await using listener = await listenHere(target, ...forwardTo(), '--json');
    const { id } = await tenant.connectSandbox('ada');
    const { text } = await receiver.waitFor();
    await listener.waitForOutput(/"forwarded"/);
    expect(listener.printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        post_id: null,
        social_account_id: id,
        cursor: expect.any(String),
        body: JSON.parse(text),
        forwarded: { status: 200, error_code: null, total_ms: expect.any(Number) },
      },
    ]);
  });

  test('shows refused connections, and continues once the server is up', async () => {
    const { port } = receiver;
    await receiver.close();
    await using listener = await listenHere(target, ...forwardTo());
    await tenant.connectSandbox('ada');
    await listener.waitForOutput(/ {2}connection_refused {2}\d+ ms\n/);
    receiver = await startReceiver({ port });
    await tenant.connectSandbox('bob');
    await listener.waitForOutput(/ {2}200 {2}\d+ ms\n/);
    expect(receiver.requests).toHaveLength(1);
  });

  test('with --no-forward has only the event', async () => {
    await using listener = await listenHere(target, '--no-forward');
    const { id } = await tenant.connectSandbox('ada');
    await listener.waitForOutput(new RegExp(` account[.]connected {2,}${id}\n`));
    expect(listener.output()).not.toContain('whsec_');
  });

  test.each([
    { where: 'in a terminal', env: {}, isColored: true },
    { where: 'in a terminal with NO_COLOR', env: { NO_COLOR: '1' }, isColored: false },
  ])('has colors $where: $isColored', async ({ env, isColored }) => {
    const line = /account[.]connected.* sa_\w{26}/;
    const shown = await listenInTerminal(target, env, line, () => tenant.connectSandbox('ada'));
    expect(shown).toMatch(line);
    expect(shown.includes('\u001B[')).toBe(isColored);
  });
});
