// The polls of the relay in this process.
import { expect } from 'vitest';
import { watchStatements } from '../rows/statements.ts';

/**
 * Resolves once the relay has looked for deliveries to claim, including those of failing webhooks, in polls
 * that began after the call.
 */
export async function waitForRelayPoll(): Promise<void> {
  using statements = watchStatements();
  const hasClaimed = (isFailing: boolean) =>
    statements.sent.some(
      ({ name, values, isAnswered }) =>
        name === 'claim_batch' &&
        isAnswered &&
        values.some((value) => String(value).includes(`"isFailing":${isFailing}`)),
    );
  await expect.poll(() => [hasClaimed(false), hasClaimed(true)]).toEqual([true, true]);
}
