// Moves this process's `performance.now()` ahead, so that time passes at once.
import { vi } from 'vitest';

/** From now on, `performance.now()` is ahead by this much. The next test has the real time again. */
export function skipAhead(ms: number): void {
  const fromMs = performance.now() + ms;
  const skippedAt = process.hrtime.bigint();
  vi.spyOn(performance, 'now').mockImplementation(
    () => fromMs + Number(process.hrtime.bigint() - skippedAt) / 1e6,
  );
}
