// Two thousand posts that are due at the same second, beside as many of the bare chain.
import { startBareChain } from '../../bare-chain.ts';
import { countsBetween, openCounters } from '../../costs.ts';
import { addAccounts } from '../../endpoints.ts';
import { startInstallation, whileStopped } from '../../installation.ts';
import { checkPublished, publishDuePosts } from '../../posts.ts';
import { median, percentile, type Row } from '../../result.ts';

const count = 2_000;
const rounds = 2;
const accounts = 30;
/** Long enough to start all workflows before they are due, for a program that starts them early. */
const aheadMs = 30_000;

export const burst: Row = {
  id: 'burst',
  title:
    `${rounds} rounds of ${count} posts to one target, all due at the same second, committed before: ` +
    'posts per second from then to the last, and how much later each is published; ' +
    'against the bare chain without webhooks',
  async run(progress) {
    await using installation = await startInstallation({}, { countsStatements: true });
    await using chain = await startBareChain(installation, null);
    await using counters = await openCounters(installation);
    const accountIds = await addAccounts(installation, accounts);
    const read = () => counters.read(installation.databaseUrl);
    const samples: { rate: number; ratio: number; lateRatio: number; workflows: number }[] = [];
    const bare: number[] = [];
    const latenesses: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const { rate: bareRate, latencies } = await whileStopped(installation, () =>
        chain.run({ count, targets: 1, perSecond: null }),
      );
      bare.push(bareRate);
      const before = await read();
      const posts = { count, targets: 1, accountIds, aheadMs };
      const own = await publishDuePosts(installation, posts);
      const { workflows } = countsBetween(before, await read());
      latenesses.push(...own);
      const rate = count / Math.max(...own);
      const [p99, bareP99] = [percentile(own, 99), percentile(latencies, 99) / 1_000];
      const lateRatio = p99 / bareP99;
      samples.push({ rate, ratio: rate / bareRate, lateRatio, workflows: workflows / count });
      await checkPublished(installation, round * count);
      progress(
        `${rate.toFixed(0)}/s, p50 ${median(own).toFixed(2)} s, p99 ${p99.toFixed(2)} s; ` +
          `bare chain ${bareRate.toFixed(0)}/s, p99 ${bareP99.toFixed(2)} s`,
      );
    }
    const medianOf = (name: keyof (typeof samples)[number]) =>
      median(samples.map((sample) => sample[name]));
    return {
      id: 'burst',
      value: medianOf('rate'),
      unit: '/s',
      baseline: median(bare),
      ratio: medianOf('ratio'),
      samples: samples.map(({ rate }) => rate),
      details: {
        p50_s: median(latenesses),
        p99_s: percentile(latenesses, 99),
        p99_ratio: medianOf('lateRatio'),
        workflows: medianOf('workflows'),
      },
    };
  },
};
