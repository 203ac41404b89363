// The default time limit of a receiver's answer.
import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import {
  after,
  deliver,
  delivered,
  expectOutcome,
  noRetries,
  unanswered,
  whole,
} from '../../support/receivers/raw-answers.ts';

const app = useApp({ env: noRetries });

test('an answer counts after 9 s and not after 11 s', async () => {
  const [inTime, late] = await Promise.all([
    deliver(app, after(9_000, whole)),
    deliver(app, after(11_000, whole)),
  ]);
  expectOutcome(inTime, delivered('ok'));
  expect(inTime.attempt.timings.first_byte_ms).toBeGreaterThanOrEqual(8_950);
  expectOutcome(late, unanswered('response_timeout'));
  expect(late.attempt.timings.total_ms).toBeGreaterThanOrEqual(9_990);
  expect(late.attempt.timings.total_ms).toBeLessThan(11_000);
});
