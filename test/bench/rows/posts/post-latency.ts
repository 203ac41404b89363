// From a post's commit to its webhook, in light traffic.
import { addAccounts, addWebhook } from '../../endpoints.ts';
import { startInstallation } from '../../installation.ts';
import { commitPostsTo } from '../../posts.ts';
import { startBenchReceiver } from '../../receiver.ts';
import { percentile, type Row } from '../../result.ts';
import { sendTraffic } from '../../traffic.ts';

const warmUp = 20;
const seconds = 30;

export const postLatency: Row = {
  id: 'post_latency',
  title: `commit of a post to one target → its webhook, at 1 post/s for ${seconds} s`,
  async run(progress) {
    await using receiver = await startBenchReceiver({ hasArrivals: true });
    await using installation = await startInstallation();
    await addWebhook(installation, receiver.urls[0]!);
    const commit = commitPostsTo(installation, await addAccounts(installation, 30), 1);
    await sendTraffic(receiver, { count: warmUp, perSecond: null, commit });
    const latencies = await sendTraffic(receiver, { count: seconds, perSecond: 1, commit });
    const [p50, p99] = [percentile(latencies, 50), percentile(latencies, 99)];
    progress(`p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    return {
      id: 'post_latency',
      value: p50,
      unit: 'ms',
      baseline: null,
      ratio: null,
      samples: latencies,
      details: { p50, p99 },
    };
  },
};
