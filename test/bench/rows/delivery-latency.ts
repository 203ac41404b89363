// From an event's commit to the receiver having read it, in light and in steady traffic.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBareChain } from '../bare-chain.ts';
import { addWebhook } from '../endpoints.ts';
import { commitEvent, waitForAllDelivered } from '../events.ts';
import { startInstallation, whileStopped, type Installation } from '../installation.ts';
import { startBenchReceiver, type BenchReceiver } from '../receiver.ts';
import { median, percentile, type Row } from '../result.ts';

const light = 20;
const steady = 200;
const seconds = 20;
const warmUpS = 5;

export const deliveryLatency: Row = {
  id: 'delivery_latency',
  title:
    `commit → receiver at ${light} and at ${steady} events/s, ${seconds} s each; ` +
    `against a bare commit and request at ${light}/s`,
  async run(progress) {
    await using receiver = await startBenchReceiver({ hasArrivals: true });
    await using installation = await startInstallation();
    await addWebhook(installation, receiver.urls[0]!);
    await using chain = await startBareChain(installation, receiver.urls[0]!);
    const bare = await whileStopped(installation, () =>
      chain.run({ count: light * seconds, targets: 0, perSecond: light }),
    );
    const baseline = median(bare.latencies);
    const details: Record<string, number> = {};
    const samples: number[][] = [];
    for (const perSecond of [light, steady]) {
      const latencies = await measure(installation, receiver, perSecond);
      const suffix = perSecond === light ? '' : `_${perSecond}`;
      for (const percent of [50, 95, 99]) {
        details[`p${percent}${suffix}`] = percentile(latencies, percent);
      }
      details[`load${suffix}`] = loadavg()[0]!;
      samples.push(latencies);
      progress(`at ${perSecond}/s: p50 ${percentile(latencies, 50).toFixed(1)} ms`);
    }
    return {
      id: 'delivery_latency',
      value: details['p50']!,
      unit: 'ms',
      baseline,
      ratio: details['p50']! / baseline,
      samples: samples[0]!,
      details,
    };
  },
};

/** Milliseconds, of each event after the warm-up. */
async function measure(
  installation: Installation,
  receiver: BenchReceiver,
  perSecond: number,
): Promise<number[]> {
  const committed = new Map<string, bigint>();
  const writing: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < perSecond * (warmUpS + seconds); i++) {
    const waitMs = startedAt + (i * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    writing.push(
      commitEvent(installation, installation.projectId).then((id) => {
        if (i >= perSecond * warmUpS) committed.set(id, process.hrtime.bigint());
      }),
    );
  }
  await Promise.all(writing);
  await waitForAllDelivered(installation, { timeoutMs: 30_000 });
  const { arrivals } = await receiver.report();
  const latencies = arrivals.flatMap(([id, , atNs]) => {
    const committedNs = committed.get(id);
    return committedNs === undefined ? [] : [Number(BigInt(atNs) - committedNs) / 1e6];
  });
  if (latencies.length < committed.size) throw new Error('Not every event arrived.');
  return latencies;
}
