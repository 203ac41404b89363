// The figures to reach, in one table; `npm run bench -- --check` fails below them.
import type { Result } from './result.ts';

export interface Goal {
  readonly text: string;
  isReached(result: Result): boolean;
}

export const goals: Readonly<Record<string, readonly Goal[]>> = {
  burst: [ratioGoal(0.6)],
  deliveries: [ratioGoal(0.15)],
  deliveries_million: [ratioGoal(0.85)],
  delivery_latency: [
    { text: 'p50 ≤ 10 ms', isReached: ({ details }) => details['p50']! <= 10 },
    { text: 'p99 ≤ 40 ms', isReached: ({ details }) => details['p99']! <= 40 },
  ],
  dead_fifth: [
    ratioGoal(0.9),
    {
      text: 'refusing_ratio ≥ 0.9',
      isReached: ({ details }) => details['refusing_ratio']! >= 0.9,
    },
  ],
  posts_accepted: [ratioGoal(0.5)],
  posts_concluded: [
    ratioGoal(0.6),
    { text: 'one_ratio ≥ 0.6', isReached: ({ details }) => details['one_ratio']! >= 0.6 },
  ],
  live_fanout: [
    ratioGoal(0.5),
    { text: 'p99 ≤ 250 ms', isReached: ({ details }) => details['p99']! <= 250 },
    {
      text: '0 < idle_socket_kb ≤ 40',
      // What was freed meanwhile would be no measure.
      isReached: ({ details }) =>
        details['idle_socket_kb']! > 0 && details['idle_socket_kb']! <= 40,
    },
  ],
  idle_cpu: [{ text: 'ratio ≤ 1.5', isReached: ({ ratio }) => ratio !== null && ratio <= 1.5 }],
  image_fit: [ratioGoal(0.8)],
  media_upload: [ratioGoal(0.6)],
  memory: [
    { text: '≤ 350 MB after the start', isReached: ({ details }) => details['idle']! <= 350 },
    { text: '≤ 500 MB after deliveries', isReached: ({ details }) => details['after']! <= 500 },
  ],
  recovery: [{ text: '≤ 15 s', isReached: ({ value }) => value <= 15 }],
  temporal_memory: [{ text: '≤ 60 MB', isReached: ({ value }) => value <= 60 }],
  start: [{ text: '≤ 6 s', isReached: ({ value }) => value <= 6 }],
};

function ratioGoal(least: number): Goal {
  return {
    text: `ratio ≥ ${least}`,
    isReached: ({ ratio }) => ratio !== null && ratio >= least,
  };
}
