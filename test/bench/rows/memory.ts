// The memory of our own Node processes: at rest, and after many deliveries.
import { setTimeout as sleep } from 'node:timers/promises';
import { commitEvents, waitForAllDelivered } from '../events.ts';
import { addWebhook } from '../endpoints.ts';
import { residentMb } from '../footprint.ts';
import { startInstallation } from '../installation.ts';
import { startBenchReceiver } from '../receiver.ts';
import type { Row } from '../result.ts';

const restS = 30;
const chunk = 10_000;
const wanted = 100_000;
/** The row ends with what has been delivered by then. */
const limitMs = 150_000;

export const memory: Row = {
  id: 'memory',
  title: `RSS ${restS} s after the start and after up to ${wanted} deliveries`,
  async run(progress) {
    await using receiver = await startBenchReceiver();
    await using installation = await startInstallation();
    const { pid } = installation.program;
    await sleep(restS * 1_000);
    const idle = residentMb(pid);
    progress(`${idle.toFixed(0)} MB at rest`);
    await addWebhook(installation, receiver.urls[0]!);
    const deadline = Date.now() + limitMs;
    const samples = [idle];
    let deliveries = 0;
    while (deliveries < wanted && Date.now() < deadline) {
      await commitEvents(installation, chunk);
      await waitForAllDelivered(installation, { timeoutMs: 180_000 });
      deliveries += chunk;
      samples.push(residentMb(pid));
    }
    const after = samples.at(-1)!;
    progress(`${after.toFixed(0)} MB after ${deliveries} deliveries`);
    const details = { idle, after, most: Math.max(...samples), deliveries };
    return {
      id: 'memory',
      value: after,
      unit: 'MB',
      baseline: null,
      ratio: null,
      samples,
      details,
    };
  },
};
