// Posts concluded per second against the bare chain.
import { startBareChain } from '../../bare-chain.ts';
import { addAccounts } from '../../endpoints.ts';
import { startInstallation, whileStopped } from '../../installation.ts';
import { checkPublished, commitPosts, waitForAllConcluded } from '../../posts.ts';
import { median, type Row } from '../../result.ts';

const count = 1_000;
const warmUp = 300;
const rounds = 2;
const accounts = 30;

export const postsConcluded: Row = {
  id: 'posts_concluded',
  title:
    `${rounds} rounds of ${count} posts committed at once → the outcome of the last, with 3 targets ` +
    'at the sandbox and with 1; against the bare chain without webhooks',
  async run(progress) {
    await using installation = await startInstallation();
    await using chain = await startBareChain(installation, null);
    const accountIds = await addAccounts(installation, accounts);
    let published = 0;
    async function conclude(targets: number, posts = count): Promise<number> {
      await commitPosts(installation, { count: posts, targets, accountIds, scheduledAt: null });
      const startedAt = performance.now();
      await waitForAllConcluded(installation, { timeoutMs: 120_000 });
      published += posts * targets;
      return posts / ((performance.now() - startedAt) / 1_000);
    }
    const carry = (targets: number) =>
      whileStopped(installation, async () => {
        const { rate } = await chain.run({ count, targets, perSecond: null });
        return rate;
      });

    const [three, one, bareThree, bareOne] = [[], [], [], []] as number[][];
    await conclude(3, warmUp);
    for (let round = 0; round < rounds; round++) {
      bareThree!.push(await carry(3));
      three!.push(await conclude(3));
      bareOne!.push(await carry(1));
      one!.push(await conclude(1));
      progress(
        `3 targets ${three!.at(-1)!.toFixed(0)}/s, bare chain ${bareThree!.at(-1)!.toFixed(0)}/s; ` +
          `1 target ${one!.at(-1)!.toFixed(0)}/s, bare chain ${bareOne!.at(-1)!.toFixed(0)}/s`,
      );
    }
    await checkPublished(installation, published);
    const ratioOf = (rates: number[], bare: number[]) =>
      median(rates.map((rate, i) => rate / bare[i]!));
    return {
      id: 'posts_concluded',
      value: median(three!),
      unit: '/s',
      baseline: median(bareThree!),
      ratio: ratioOf(three!, bareThree!),
      samples: three!,
      details: {
        one: median(one!),
        one_against: median(bareOne!),
        one_ratio: ratioOf(one!, bareOne!),
      },
    };
  },
};
