// What the load posts: for each number the same post at every run with the seed.
import type { SandboxOutcome } from '../../schema/platforms/sandbox.ts';
import type { TargetEnd } from './books/records.ts';
import { createRandom, type Random } from './random.ts';

/** What the client does with a post. */
export type Way = 'now' | 'scheduled' | 'rescheduled' | 'early' | 'canceled' | 'draft';

export interface PlannedPost {
  name: string;
  /** Which of the projects creates it. */
  project: number;
  way: Way;
  /** How far ahead it is scheduled. */
  aheadMs: number;
  /** When the client acts on it again, after its creation. */
  actAfterMs: number;
  targets: PlannedTarget[];
}

export interface PlannedTarget {
  /** Which of `handles`. */
  account: number;
  options: { outcome?: SandboxOutcome; times?: number; delay_ms?: number };
  end: TargetEnd;
}

/** The login of the last one expires again and again, so only that one takes such posts. */
export const handles = ['ada', 'bob', 'cleo', 'dana', 'eli', 'finn', 'expiring'] as const;
const expiring = handles.length - 1;
const mostTargets = 3;

const ways: readonly Way[] = [
  ...Array.from({ length: 9 }, () => 'now' as const),
  ...Array.from({ length: 6 }, () => 'scheduled' as const),
  'rescheduled',
  'early',
  'canceled',
  'canceled',
  'draft',
];

type Outcome = Omit<PlannedTarget, 'account'>;

/** With the waits of the cluster, three refusals for now are one more than a run waits out. */
const outcomes: readonly Outcome[] = [
  ...Array.from({ length: 8 }, (): Outcome => ({ options: {}, end: 'published' })),
  { options: { delay_ms: 400 }, end: 'published' },
  { options: { delay_ms: 1_500 }, end: 'published' },
  { options: { outcome: 'rejected' }, end: 'failed' },
  { options: { outcome: 'unavailable', times: 1 }, end: 'published' },
  { options: { outcome: 'unavailable', times: 3 }, end: 'published' },
  { options: { outcome: 'rate_limited', times: 1 }, end: 'published' },
  { options: { outcome: 'server_error', times: 1 }, end: 'published' },
  { options: { outcome: 'connection_cut', times: 1 }, end: 'published' },
  { options: { outcome: 'answer_lost' }, end: 'published' },
  { options: { outcome: 'server_error_after' }, end: 'published' },
  { options: { outcome: 'lost_and_hidden' }, end: 'uncertain' },
];

const expiry: Outcome = {
  options: { outcome: 'token_expired', times: 1 },
  end: 'published or failed',
};

export function planPost(seed: number, number: number, mostAheadMs: number): PlannedPost {
  const random = createRandom(seed, `post ${number}`);
  return {
    name: `chaos-${seed}-${number}`,
    project: 0,
    way: random.pick(ways),
    aheadMs: random.between(2_000, mostAheadMs),
    actAfterMs: random.between(100, 1_800),
    targets: planTargets(random),
  };
}

function planTargets(random: Random): PlannedTarget[] {
  if (random.fraction() < 0.04) return [{ account: expiring, ...expiry }];
  return planLastingTargets(random, outcomes);
}

/** At accounts whose logins don't expire. */
function planLastingTargets(random: Random, outcomes: readonly Outcome[]): PlannedTarget[] {
  const accounts = random.shuffle(
    handles
      .keys()
      .filter((i) => i !== expiring)
      .toArray(),
  );
  return accounts
    .slice(0, random.between(1, mostTargets))
    .map((account) => ({ account, ...random.pick(outcomes) }));
}

/** Nobody follows the posts of a burst one by one, to retry those whose network was away. */
const burstOutcomes = outcomes.filter(({ options }) => options.outcome !== 'unavailable');

const burstWays: readonly Way[] = [
  ...Array.from({ length: 16 }, () => 'scheduled' as const),
  'rescheduled',
  'early',
  'canceled',
  'canceled',
];

/** A post of a burst. `aheadMs` is the burst's, unless its client moves the post. */
export function planBurstPost(
  random: Random,
  { name, project, isScheduled }: { name: string; project: number; isScheduled: boolean },
): PlannedPost {
  return {
    name,
    project,
    way: isScheduled ? random.pick(burstWays) : 'now',
    aheadMs: random.between(2_000, 12_000),
    actAfterMs: random.between(100, 5_000),
    targets: planLastingTargets(random, burstOutcomes),
  };
}
