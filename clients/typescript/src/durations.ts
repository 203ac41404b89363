// Durations as users write them: a number of milliseconds, or a number with a unit.
import { configurationError } from './errors.ts';

/** Milliseconds, or such as `500ms`, `30s`, `2m` or `1h`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function toMs(name: string, duration: Duration): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(duration)) ?? [];
  const ms =
    typeof duration === 'number' ? duration : Number(count) * unitMs[unit as keyof typeof unitMs];
  if (ms >= 0 && ms <= longestMs) return ms;
  throw configurationError(
    `${name} must be a duration such as 30s or 2m, or a number of milliseconds.`,
  );
}

/** What timers take. */
const longestMs = 2 ** 31 - 1;

/** Sleeps as long as a timer can at most. Rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, longestMs),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
