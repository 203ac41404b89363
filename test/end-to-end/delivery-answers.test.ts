// Answers that break off or come late: which of them count as delivered, and what is recorded.
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import {
  after,
  deliver,
  delivered,
  expectOutcome,
  noRetries,
  ok,
  unanswered,
  whole,
  type Outcome,
} from '../support/receivers/raw-answers.ts';

const app = useApp({ env: { ...noRetries, FANFARE_DELIVERY_TIMEOUT_MS: '2000' } });

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

describe.concurrent('an answer that comes late', () => {
  test('counts after 1.5 s and not after 2.5 s if the limit is 2 s', async () => {
    const [inTime, late] = await Promise.all([
      deliver(app, after(1_500, whole)),
      deliver(app, after(2_500, whole)),
    ]);
    expectOutcome(inTime, delivered('ok'));
    expect(inTime.attempt.timings.first_byte_ms).toBeGreaterThanOrEqual(1_450);
    expectOutcome(late, unanswered('response_timeout'));
    expect(late.attempt.timings.total_ms).toBeGreaterThanOrEqual(1_990);
  });

  test('counts if its headers are complete in time, whatever its body does', async () => {
    const stalling = await deliver(app, after(0, `${ok}Content-Length: 10\r\n\r\nso far`));
    expectOutcome(stalling, delivered('so far'));
  });

  test('does not count if its headers never end', async () => {
    const dripping = await deliver(app, (socket) => {
      socket.write(ok);
      const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 100);
      socket.once('close', () => clearInterval(drip));
    });
    expectOutcome(dripping, unanswered('response_timeout'));
  });
});
