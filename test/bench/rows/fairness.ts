// Posts of one project while another one has thousands of posts and a thousand webhooks to serve.
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { createApi } from '../../support/app/api.ts';
import { startBareChain } from '../bare-chain.ts';
import { addAccounts, addWebhook } from '../endpoints.ts';
import { commitEventsTogether } from '../events.ts';
import { startInstallation, whileStopped, type Installation } from '../installation.ts';
import { commitPosts, commitPostsTo } from '../posts.ts';
import { startBenchReceiver } from '../receiver.ts';
import { percentile, type Row } from '../result.ts';
import { sendTraffic } from '../traffic.ts';

const count = 50;
const perSecond = 5;
const accounts = 30;
const busy = { posts: 10_000, webhooks: 1_000, events: 50 };

export const fairness: Row = {
  id: 'fairness',
  title:
    `commit → webhook of ${count} posts at ${perSecond}/s, while another project has ${busy.posts} due ` +
    `posts and ${busy.events} deliveries to each of ${busy.webhooks} webhooks; against two bare chains, ` +
    'one for each project',
  async run(progress) {
    await using receiver = await startBenchReceiver({ hasArrivals: true });
    await using others = await startBenchReceiver({ ports: busy.webhooks });
    await using installation = await startInstallation({
      FANFARE_MAX_WEBHOOKS: String(busy.webhooks),
    });
    const url = receiver.urls[0]!;
    const bare = await whileStopped(installation, () =>
      measureBare(installation, url, others.urls[0]!),
    );
    const quiet = await addProject(installation);
    await addWebhook(quiet, url);
    const commit = commitPostsTo(quiet, await addAccounts(quiet, accounts), 1);
    await sendTraffic(receiver, { count: accounts, perSecond: null, commit });

    await makeBusy(installation, others.urls);
    const latencies = await sendTraffic(receiver, { count, perSecond, commit });
    const left = await countWaiting(installation);
    if (Math.min(...Object.values(left)) === 0) {
      throw new Error(`The other project had nothing to do at the end: ${JSON.stringify(left)}.`);
    }
    const [value, baseline] = [percentile(latencies, 99), percentile(bare, 99)];
    progress(`p99 ${value.toFixed(0)} ms; bare chain ${baseline.toFixed(0)} ms`);
    return {
      id: 'fairness',
      value,
      unit: 'ms',
      baseline,
      ratio: value / baseline,
      samples: latencies,
      details: {
        p50: percentile(latencies, 50),
        p99: value,
        bare_p50: percentile(bare, 50),
        posts_left: left.posts,
        deliveries_left: left.deliveries,
      },
    };
  },
};

/** Milliseconds of each post, while the other chain carries its posts. */
async function measureBare(
  installation: Installation,
  url: string,
  otherUrl: string,
): Promise<number[]> {
  await using other = await startBareChain(installation, otherUrl, 'bare_other');
  await using chain = await startBareChain(installation, url);
  // The run ends with its chain, before all posts are done.
  other.run({ count: busy.posts, targets: 1, perSecond: null }).catch(() => undefined);
  return (await chain.run({ count, targets: 1, perSecond })).latencies;
}

async function addProject(installation: Installation): Promise<Installation> {
  const { row, key } = await createProjectWithKey(installation.db, 'Quiet');
  const api = createApi(installation.api.url, key);
  return { ...installation, api, projectId: row.project_id };
}

/** Each kind is committed in one transaction. The program carries the posts while the deliveries are committed. */
async function makeBusy(installation: Installation, urls: readonly string[]): Promise<void> {
  const accountIds = await addAccounts(installation, accounts);
  for (const url of urls) await addWebhook(installation, url, 'post.failed');
  await commitPosts(installation, {
    count: busy.posts,
    targets: 1,
    accountIds,
    scheduledAt: null,
  });
  await commitEventsTogether(installation, busy.events, 'post.failed');
}

async function countWaiting({
  db,
  projectId,
}: Installation): Promise<{ posts: number; deliveries: number }> {
  const count = async (table: 'posts' | 'deliveries') => {
    const { n } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .where('project_id', '=', projectId)
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  return { posts: await count('posts'), deliveries: await count('deliveries') };
}
