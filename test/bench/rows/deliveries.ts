// Durable deliveries per second against the bare loop, side by side, to the same receiver.
import { generateWebhookSecret } from '../../../activities/signature.ts';
import { commitEvents, countRecorded, sampleData, waitForAllDelivered } from '../events.ts';
import { startInstallation } from '../installation.ts';
import { runRawLoop } from '../raw-loop.ts';
import { startBenchReceiver } from '../receiver.ts';
import { median, type Row } from '../result.ts';

const eventCount = 10_000;
const rounds = 3;

export const deliveries: Row = {
  id: 'deliveries',
  title: `${eventCount} events committed → the receiver's 2xx recorded, ${rounds} rounds`,
  async run(progress) {
    await using receiver = await startBenchReceiver();
    await using installation = await startInstallation();
    await installation.api.post('/v1/webhooks', { url: receiver.url, events: ['post.published'] });
    const body = JSON.stringify({
      event: 'post.published',
      timestamp: new Date().toISOString(),
      data: sampleData,
    });
    const raw = { url: receiver.url, body, secret: generateWebhookSecret(), count: 20_000 };
    await commitEvents(installation, 1_000);
    await waitForAllDelivered(installation, { timeoutMs: 60_000 });
    await runRawLoop({ ...raw, count: 5_000 });

    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      bare.push(await runRawLoop(raw));
      const startedAt = performance.now();
      await commitEvents(installation, eventCount);
      const committedS = (performance.now() - startedAt) / 1_000;
      await waitForAllDelivered(installation, { timeoutMs: 180_000 });
      ours.push(eventCount / ((performance.now() - startedAt) / 1_000));
      progress(
        `${ours.at(-1)!.toFixed(0)}/s (committed at ${(eventCount / committedS).toFixed(0)}/s); ` +
          `bare loop ${bare.at(-1)!.toFixed(0)}/s`,
      );
    }
    const recorded = await countRecorded(installation);
    const expected = 1_000 + rounds * eventCount;
    if (recorded.delivered !== expected || recorded.attempts !== expected) {
      throw new Error(`${expected} were expected; recorded: ${JSON.stringify(recorded)}.`);
    }
    const value = median(ours);
    const baseline = median(bare);
    const ratio = median(ours.map((rate, i) => rate / bare[i]!));
    return { id: 'deliveries', value, unit: '/s', baseline, ratio, samples: ours, details: {} };
  },
};
