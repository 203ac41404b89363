// The figures to reach, in one table; `npm run bench -- --check` fails below them.
import type { Result } from './result.ts';

export interface Goal {
  readonly text: string;
  isReached(result: Result): boolean;
}

export const goals: Readonly<Record<string, readonly Goal[]>> = {
  burst: [atLeast('ratio', 0.15), atMost('p99_ratio', 8), atMost('workflows', 0.03)],
  calendar: [atMost('ratio', 3)],
  deliveries: [atLeast('ratio', 0.15)],
  deliveries_million: [atLeast('ratio', 0.85)],
  delivery_latency: [atMost('p50', 10), atMost('p99', 40), atMost('ratio', 4)],
  delivery_cpu: [atMost('paced_20_ratio', 3), atMost('backlog_ratio', 0.9)],
  dead_fifth: [atLeast('ratio', 0.9), atLeast('refusing_ratio', 0.9)],
  fairness: [
    {
      text: 'p99 ≤ 1,000 or ratio ≤ 2',
      isReached: ({ value, ratio }) => value <= 1_000 || ratio! <= 2,
    },
  ],
  post_cpu: [
    atMost('paced_20_ratio', 6),
    atMost('backlog_ratio', 5.5),
    atMost('backlog_3_ratio', 4),
    atMost('paced_1_statements', 22),
    atMost('backlog_statements', 10),
    atMost('backlog_fsync_ratio', 1),
    atMost('paced_20_workflows', 0.4),
  ],
  posts_accepted: [atLeast('ratio', 0.6), atLeast('plain_ratio', 0.7)],
  posts_concluded: [atLeast('ratio', 0.15), atLeast('one_ratio', 0.15)],
  polls: [atMost('ratio', 1.2)],
  waiting_cost: [atMost('ratio', 1.2)],
  live_fanout: [
    atLeast('ratio', 0.5),
    atMost('p99', 250),
    {
      text: '0 < idle_socket_kb ≤ 40',
      // Below 0, other memory was freed during the measurement.
      isReached: ({ details }) =>
        details['idle_socket_kb']! > 0 && details['idle_socket_kb']! <= 40,
    },
  ],
  idle_cpu: [atMost('ratio', 1.5), atMost('statements_per_s', 5)],
  image_fit: [atLeast('ratio', 0.8)],
  media_upload: [atLeast('ratio', 0.6)],
  memory: [atMost('idle', 350), atMost('after', 500)],
  recovery: [atMost('value', 10)],
  temporal_memory: [atMost('value', 60)],
  start: [atMost('value', 6)],
};

function atLeast(name: string, least: number): Goal {
  return {
    text: `${name} ≥ ${least}`,
    isReached: (result) => figureOf(result, name) >= least,
  };
}

function atMost(name: string, most: number): Goal {
  return {
    text: `${name} ≤ ${most}`,
    isReached: (result) => figureOf(result, name) <= most,
  };
}

/** NaN reaches no goal. */
function figureOf({ value, ratio, details }: Result, name: string): number {
  return { ...details, value, ratio: ratio ?? undefined }[name] ?? Number.NaN;
}
