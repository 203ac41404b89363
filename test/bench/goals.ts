// The figures to reach, in one table; `npm run bench -- --check` fails below them.
import type { Result } from './result.ts';

export interface Goal {
  readonly text: string;
  isReached(result: Result): boolean;
}

export const goals: Readonly<Record<string, readonly Goal[]>> = {
  deliveries: [{ text: 'ratio ≥ 0.15', isReached: ({ ratio }) => ratio !== null && ratio >= 0.15 }],
  delivery_latency: [
    { text: 'p50 ≤ 10 ms', isReached: ({ details }) => details['p50']! <= 10 },
    { text: 'p99 ≤ 40 ms', isReached: ({ details }) => details['p99']! <= 40 },
  ],
  memory: [
    { text: '≤ 350 MB after the start', isReached: ({ details }) => details['idle']! <= 350 },
    { text: '≤ 500 MB after deliveries', isReached: ({ details }) => details['after']! <= 500 },
  ],
  start: [{ text: '≤ 6 s', isReached: ({ value }) => value <= 6 }],
};
