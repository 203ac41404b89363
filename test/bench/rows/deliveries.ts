// Durable deliveries per second against the bare loop, side by side, to the same receiver.
import { generateWebhookSecret } from '../../../activities/delivering/signature.ts';
import { addTenants, addWebhook } from '../endpoints.ts';
import { checkRecorded, deliverBacklog, deliverRound, sampleData } from '../events.ts';
import { peakMemory, storedBytes } from '../footprint.ts';
import { startInstallation } from '../installation.ts';
import { runRawLoop } from '../raw-loop.ts';
import { startBenchReceiver } from '../receiver.ts';
import { median, type Row } from '../result.ts';

const eventCount = 10_000;
const warmUp = 1_000;
const rounds = 3;
const tenants = 100;

export const deliveries: Row = {
  id: 'deliveries',
  title:
    `${eventCount} events committed → the receiver's 2xx recorded, ${rounds} rounds, ` +
    `to 1 endpoint and to ${tenants}; \`live\`: while the events are being committed one by one`,
  async run(progress) {
    await using receiver = await startBenchReceiver({ ports: 1 + tenants });
    await using installation = await startInstallation({
      FANFARE_MAX_WEBHOOKS: String(1 + tenants),
    });
    const [url, ...tenantUrls] = receiver.urls;
    const projectIds = await addTenants(installation, tenantUrls);
    await addWebhook(installation, url!);
    const body = JSON.stringify({
      event: 'post.published',
      timestamp: new Date().toISOString(),
      data: sampleData,
    });
    const raw = { url: url!, body, secret: generateWebhookSecret(), count: 20_000 };
    await deliverRound(installation, warmUp);
    await deliverRound(installation, warmUp, projectIds);
    await runRawLoop({ ...raw, count: 5_000 });

    const before = await storedBytes(installation);
    const one: number[] = [];
    const hundred: number[] = [];
    const live: number[] = [];
    const bare: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      bare.push(await runRawLoop(raw));
      one.push(await deliverBacklog(installation, eventCount));
      hundred.push(await deliverBacklog(installation, eventCount, projectIds));
      const { rate, committedRate } = await deliverRound(installation, eventCount);
      live.push(rate);
      progress(
        `${one.at(-1)!.toFixed(0)}/s; to ${tenants} ${hundred.at(-1)!.toFixed(0)}/s; ` +
          `live ${rate.toFixed(0)}/s (committed at ${committedRate.toFixed(0)}/s); ` +
          `bare loop ${bare.at(-1)!.toFixed(0)}/s`,
      );
    }
    const after = await storedBytes(installation);
    const measured = 3 * rounds * eventCount;
    await checkRecorded(installation, 2 * warmUp + measured);
    const ratioOf = (rates: number[]) => median(rates.map((rate, i) => rate / bare[i]!));
    return {
      id: 'deliveries',
      value: median(one),
      unit: '/s',
      baseline: median(bare),
      ratio: ratioOf(one),
      samples: one,
      details: {
        hundred: median(hundred),
        hundred_ratio: ratioOf(hundred),
        live: median(live),
        live_ratio: ratioOf(live),
        postgres_bytes: (after.postgres - before.postgres) / measured,
        temporal_bytes: (after.temporal - before.temporal) / measured,
        ...peakMemory(installation.program.pid),
      },
    };
  },
};
