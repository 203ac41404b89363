// The bursts of a run: many posts at once, of several projects, around some of its faults.
import { planBurstPost, type PlannedPost } from './planned-posts.ts';
import { createRandom } from './random.ts';

export interface Burst {
  /** The fault that it meets, by its place in the run. */
  fault: number;
  /** Undefined: its posts are published at once. Otherwise all are due at the same time, so far ahead. */
  aheadMs: number | undefined;
  posts: PlannedPost[];
}

export const projectCount = 3;
/** Of posts: in a run of full size, and in a short one. */
const sizes = { full: [100, 300], short: [20, 40] } as const;

/** Around every third fault. Posts that are due together take turns with posts that are published at once. */
export function planBursts(seed: number, faults: number, isShort: boolean): Burst[] {
  const random = createRandom(seed, 'bursts');
  const met = random
    .shuffle(Array.from({ length: faults }, (_, i) => i))
    .slice(0, Math.ceil(faults / 3))
    .sort((a, b) => a - b);
  const [least, most] = sizes[isShort ? 'short' : 'full'];
  const turn = random.between(0, 1);
  return met.map((fault, number) => {
    const isScheduled = number % 2 === turn;
    const posts = Array.from({ length: random.between(least, most) }, (_, i) =>
      planBurstPost(random, {
        name: `chaos-${seed}-burst-${number}-${i}`,
        project: i % projectCount,
        isScheduled,
      }),
    );
    return { fault, aheadMs: isScheduled ? random.between(5_000, 9_000) : undefined, posts };
  });
}
