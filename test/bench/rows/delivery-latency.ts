// From an event's commit to the receiver having read it, in light traffic.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { addWebhook } from '../endpoints.ts';
import { commitEvent, waitForAllDelivered } from '../events.ts';
import { startInstallation } from '../installation.ts';
import { startBenchReceiver } from '../receiver.ts';
import { percentile, type Row } from '../result.ts';

const perSecond = 20;
const seconds = 20;
const warmUp = 100;

export const deliveryLatency: Row = {
  id: 'delivery_latency',
  title: `commit → receiver at ${perSecond} events/s for ${seconds} s`,
  async run() {
    await using receiver = await startBenchReceiver({ hasArrivals: true });
    await using installation = await startInstallation();
    await addWebhook(installation, receiver.urls[0]!);
    const committed = new Map<string, bigint>();
    const writing: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let i = 0; i < warmUp + perSecond * seconds; i++) {
      await sleep(Math.max(startedAt + (i * 1_000) / perSecond - performance.now(), 0));
      writing.push(
        commitEvent(installation).then((id) => {
          if (i >= warmUp) committed.set(id, process.hrtime.bigint());
        }),
      );
    }
    const load = loadavg()[0]!;
    await Promise.all(writing);
    await waitForAllDelivered(installation, { timeoutMs: 30_000 });
    const { arrivals } = await receiver.report();
    const samples = arrivals.flatMap(([id, atNs]) => {
      const committedNs = committed.get(id);
      return committedNs === undefined ? [] : [Number(BigInt(atNs) - committedNs) / 1e6];
    });
    if (samples.length < committed.size) throw new Error('Not every event arrived.');
    const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(samples, percent));
    return {
      id: 'delivery_latency',
      value: p50!,
      unit: 'ms',
      baseline: null,
      ratio: null,
      samples,
      details: { p50: p50!, p95: p95!, p99: p99!, load },
    };
  },
};
