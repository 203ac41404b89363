// Time that passes at once, for what this process measures with `performance.now()`.
import { vi } from 'vitest';

/** From now on, `performance.now()` is so much later. The next test has the real time again. */
export function skipAhead(ms: number): void {
  const fromMs = performance.now() + ms;
  const skippedAt = process.hrtime.bigint();
  vi.spyOn(performance, 'now').mockImplementation(
    () => fromMs + Number(process.hrtime.bigint() - skippedAt) / 1e6,
  );
}
