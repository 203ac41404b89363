// Answers that break off or come late: which of them count as taken, and what is recorded.
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recordEvent } from '../../schema/database/events/record.ts';
import type { DeliveryAttempt, DeliveryWithAttempts } from '../../schema/deliveries.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { startRawReceiver } from '../support/receivers/raw-receiver.ts';

// Nothing is tried again while a test looks.
const env = { FANFARE_DELIVERY_DELAYS_MS: '600000' };

let app: TestApp;
let appOfDefaults: TestApp;

beforeAll(async () => {
  [app, appOfDefaults] = await Promise.all([
    startApp({ env: { ...env, FANFARE_DELIVERY_TIMEOUT_MS: '2000' } }),
    startApp({ env }),
  ]);
});

afterAll(() => Promise.all([app.stop(), appOfDefaults.stop()]));

/** One event for a receiver that answers so; the delivery once its only attempt is recorded. */
async function deliver(to: TestApp, answer: (socket: Socket) => void) {
  await using receiver = await startRawReceiver(answer);
  const tenant = await to.createTenant();
  const webhook = await tenant.createWebhook(receiver.url, ['post.published']);
  const { db, notifier } = to.context;
  await db.transaction().execute((trx) =>
    recordEvent(
      trx,
      {
        projectId: tenant.projectId,
        environment: 'production',
        kind: 'post.published',
        data: { id: 'post_1' },
      },
      { previewEvents: false },
    ),
  );
  notifier.notify('fanfare_deliveries');
  const find = async () => {
    const { body } = await tenant.api.get(`/v1/webhooks/${webhook.id}/deliveries`);
    return body.data[0] as DeliveryWithAttempts;
  };
  // Not `expect.poll`, which several tests at a time make one another lose.
  await vi.waitFor(async () => expect((await find()).attempt_count).toBe(1), { timeout: 20_000 });
  const { body } = await tenant.api.get(`/v1/deliveries/${(await find()).id}`);
  const delivery = body.data as DeliveryWithAttempts;
  expect(receiver.requestCount).toBe(1);
  expect(delivery.attempts).toHaveLength(1);
  return { delivery, attempt: delivery.attempts[0]! };
}

type Outcome = Pick<DeliveryAttempt, 'status_code' | 'error_code' | 'response_body'>;

const taken = { status: 'delivered', next_attempt_at: null };
const notTaken = { status: 'retrying', next_attempt_at: expect.any(String) };

function expectOutcome(
  { delivery, attempt }: Awaited<ReturnType<typeof deliver>>,
  outcome: Outcome,
): void {
  const { status_code, error_code } = outcome;
  const state = error_code === null ? taken : notTaken;
  expect(delivery).toMatchObject({
    ...state,
    last_status_code: status_code,
    last_error_code: error_code,
  });
  expect(attempt).toMatchObject({ ...outcome, number: 1, next_attempt_at: state.next_attempt_at });
}

const delivered = (body: string): Outcome => ({
  status_code: 200,
  error_code: null,
  response_body: body,
});
const unanswered = (code: string): Outcome => ({
  status_code: null,
  error_code: code,
  response_body: null,
});
const ok = 'HTTP/1.1 200 OK\r\n';

// Each waits for little but its own receiver.
describe.concurrent('an answer that the network cuts', () => {
  test.each<[string, string, Outcome]>([
    ['before its first byte', '', unanswered('connection_reset')],
    ['within the status line', 'HTTP/1.1 20', unanswered('connection_reset')],
    ['after the status line', ok, unanswered('connection_reset')],
    ['within the headers', `${ok}Content-Le`, unanswered('connection_reset')],
    ['after the headers', `${ok}Content-Length: 10\r\n\r\n`, delivered('')],
    ['within the body', `${ok}Content-Length: 10\r\n\r\nso far`, delivered('so far')],
    [
      'within a chunk of the body',
      `${ok}Transfer-Encoding: chunked\r\n\r\n6\r\nso far\r\nff\r\nand`,
      delivered('so farand'),
    ],
    [
      'within the body of a refusal',
      'HTTP/1.1 503 Busy\r\nContent-Length: 10\r\n\r\nso far',
      { status_code: 503, error_code: 'http_5xx', response_body: 'so far' },
    ],
  ])('%s', async (_where, bytes, outcome) => {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const cut = (socket: Socket) =>
        // A reset discards what was sent but not read.
        bytes ? socket.write(bytes, () => setTimeout(() => socket[end](), 50)) : socket[end]();
      expectOutcome(await deliver(app, (socket) => void cut(socket)), outcome);
    }
  });
});

const after = (ms: number, bytes: string) => (socket: Socket) =>
  void setTimeout(() => socket.destroyed || socket.write(bytes), ms);
const whole = `${ok}Content-Length: 2\r\n\r\nok`;

describe.concurrent('an answer that comes late', () => {
  test('counts after 1.5 s and not after 2.5 s where the limit is 2 s', async () => {
    const [inTime, late] = await Promise.all([
      deliver(app, after(1_500, whole)),
      deliver(app, after(2_500, whole)),
    ]);
    expectOutcome(inTime, delivered('ok'));
    expect(inTime.attempt.timings.first_byte_ms).toBeGreaterThanOrEqual(1_450);
    expectOutcome(late, unanswered('response_timeout'));
    expect(late.attempt.timings.total_ms).toBeGreaterThanOrEqual(1_990);
  });

  test('counts after 9 s and not after 11 s where no limit is set', async () => {
    const [inTime, late] = await Promise.all([
      deliver(appOfDefaults, after(9_000, whole)),
      deliver(appOfDefaults, after(11_000, whole)),
    ]);
    expectOutcome(inTime, delivered('ok'));
    expect(inTime.attempt.timings.first_byte_ms).toBeGreaterThanOrEqual(8_950);
    expectOutcome(late, unanswered('response_timeout'));
    expect(late.attempt.timings.total_ms).toBeGreaterThanOrEqual(9_990);
    expect(late.attempt.timings.total_ms).toBeLessThan(11_000);
  });

  test('counts when its headers are whole in time, whatever its body does', async () => {
    const stalling = await deliver(app, after(0, `${ok}Content-Length: 10\r\n\r\nso far`));
    expectOutcome(stalling, delivered('so far'));
  });

  test('does not count when its headers never end', async () => {
    const dripping = await deliver(app, (socket) => {
      socket.write(ok);
      const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 100);
      socket.once('close', () => clearInterval(drip));
    });
    expectOutcome(dripping, unanswered('response_timeout'));
  });
});
