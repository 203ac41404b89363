// Two thousand posts that are due at the same second, against as many empty workflows that are, and the bare chain.
import { startBareChain } from '../bare-chain.ts';
import { addAccounts } from '../endpoints.ts';
import { startEmptyWorkflows } from '../empty-workflows.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { checkPublished, commitPosts, waitForAllConcluded } from '../posts.ts';
import { median, percentile, type Row } from '../result.ts';

const count = 2_000;
const rounds = 2;
const accounts = 30;
/** Long enough to start all workflows before they are due, for a program that starts them early. */
const aheadMs = 30_000;

export const burst: Row = {
  id: 'burst',
  title:
    `${rounds} rounds of ${count} posts to one target, all due at the same second, committed before: ` +
    'how much later each is published, and posts per second from then to the last; ' +
    '`bare_ratio`: against the bare chain without webhooks',
  async run(progress) {
    await using installation = await startInstallation();
    await using empty = await startEmptyWorkflows(installation);
    await using chain = await startBareChain(installation, null);
    const accountIds = await addAccounts(installation, accounts);
    const rates: number[] = [];
    const bare: number[] = [];
    const chained: number[] = [];
    const latenesses: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      bare.push(await empty.run({ workflows: count, activities: 1, dueInMs: aheadMs }));
      chained.push(await chain.run({ count, targets: 1, perSecond: null }));
      const dueAt = new Date(Date.now() + aheadMs);
      const posts = { count, targets: 1, accountIds, scheduledAt: dueAt };
      await commitPosts(installation, posts);
      await waitForAllConcluded(installation, { timeoutMs: aheadMs + 180_000 });
      const own = await listLatenesses(installation, dueAt);
      latenesses.push(...own);
      rates.push(count / Math.max(...own));
      await checkPublished(installation, round * count);
      progress(
        `${rates.at(-1)!.toFixed(0)}/s, p50 ${median(own).toFixed(2)} s, ` +
          `p99 ${percentile(own, 99).toFixed(2)} s; empty ${bare.at(-1)!.toFixed(0)}/s, ` +
          `bare chain ${chained.at(-1)!.toFixed(0)}/s`,
      );
    }
    return {
      id: 'burst',
      value: median(rates),
      unit: '/s',
      baseline: median(bare),
      ratio: median(rates.map((rate, i) => rate / bare[i]!)),
      samples: rates,
      details: {
        p50_s: median(latenesses),
        p99_s: percentile(latenesses, 99),
        bare_ratio: median(rates.map((rate, i) => rate / chained[i]!)),
      },
    };
  },
};

/** Seconds from when each was due to its result. */
async function listLatenesses({ db }: Installation, dueAt: Date): Promise<number[]> {
  const rows = await db
    .selectFrom('posts')
    .innerJoin('post_results', 'post_results.post_id', 'posts.id')
    .select('post_results.published_at')
    .where('posts.scheduled_at', '=', dueAt)
    .execute();
  return rows.map((row) => (row.published_at!.getTime() - dueAt.getTime()) / 1_000);
}
