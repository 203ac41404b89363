// Posts concluded per second against empty workflows with as many activities, in the same Temporal.
import { addAccounts } from '../endpoints.ts';
import { startEmptyWorkflows } from '../empty-workflows.ts';
import { startInstallation } from '../installation.ts';
import { checkPublished, commitPosts, waitForAllConcluded } from '../posts.ts';
import { median, type Row } from '../result.ts';

const count = 1_000;
const warmUp = 300;
const rounds = 2;
const accounts = 30;

export const postsConcluded: Row = {
  id: 'posts_concluded',
  title:
    `${rounds} rounds of ${count} posts committed at once → the outcome of the last, with 3 targets ` +
    'at the sandbox and with 1; against empty workflows with 3 activities, and with 1',
  async run(progress) {
    await using installation = await startInstallation();
    await using empty = await startEmptyWorkflows(installation);
    const accountIds = await addAccounts(installation, accounts);
    let published = 0;
    async function conclude(targets: number, posts = count): Promise<number> {
      await commitPosts(installation, { count: posts, targets, accountIds, scheduledAt: null });
      const startedAt = performance.now();
      await waitForAllConcluded(installation, { timeoutMs: 120_000 });
      published += posts * targets;
      return posts / ((performance.now() - startedAt) / 1_000);
    }

    const [three, one, emptyThree, emptyOne] = [[], [], [], []] as number[][];
    await conclude(3, warmUp);
    for (let round = 0; round < rounds; round++) {
      emptyThree!.push(await empty.run({ workflows: count, activities: 3 }));
      three!.push(await conclude(3));
      emptyOne!.push(await empty.run({ workflows: count, activities: 1 }));
      one!.push(await conclude(1));
      progress(
        `3 targets ${three!.at(-1)!.toFixed(0)}/s, empty ${emptyThree!.at(-1)!.toFixed(0)}/s; ` +
          `1 target ${one!.at(-1)!.toFixed(0)}/s, empty ${emptyOne!.at(-1)!.toFixed(0)}/s`,
      );
    }
    await checkPublished(installation, published);
    const ratioOf = (rates: number[], bare: number[]) =>
      median(rates.map((rate, i) => rate / bare[i]!));
    return {
      id: 'posts_concluded',
      value: median(three!),
      unit: '/s',
      baseline: median(emptyThree!),
      ratio: ratioOf(three!, emptyThree!),
      samples: three!,
      details: {
        one: median(one!),
        one_against: median(emptyOne!),
        one_ratio: ratioOf(one!, emptyOne!),
      },
    };
  },
};
