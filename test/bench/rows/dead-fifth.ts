// What a dead endpoint costs the others: the rate of four healthy ones, with a fifth healthy and dead.
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../../../api/server/ports.ts';
import { addWebhook } from '../endpoints.ts';
import { commitEvents } from '../events.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { startBenchReceiver } from '../receiver.ts';
import { median, type Row } from '../result.ts';

const eventCount = 4_000;
const warmUp = 300;
const rounds = 3;
const others = 4;

export const deadFifth: Row = {
  id: 'dead_fifth',
  title: `${eventCount} events to 5 endpoints: the rate of ${others}, the fifth hanging or refusing`,
  async run(progress) {
    await using receiver = await startBenchReceiver({ ports: others + 1 });
    await using installation = await startInstallation();
    const [fifth, ...urls] = receiver.urls;
    const webhookIds: string[] = [];
    for (const url of urls) webhookIds.push(await addWebhook(installation, url));
    const [refusingPort] = await findFreePorts([0]);

    const measure = (url: string, count = eventCount) =>
      withFifth(installation, url, () => rateOf(installation, webhookIds, count));
    async function measureHanging(): Promise<number> {
      await using hanging = await startBenchReceiver({ isHanging: true });
      return await measure(hanging.urls[0]!);
    }

    await measure(fifth!, warmUp);
    const healthy: number[] = [];
    const hanging: number[] = [];
    const refusing: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      healthy.push(await measure(fifth!));
      hanging.push(await measureHanging());
      refusing.push(await measure(`http://127.0.0.1:${refusingPort}/`));
      progress(
        `${healthy.at(-1)!.toFixed(0)}/s; fifth hanging ${hanging.at(-1)!.toFixed(0)}/s, ` +
          `refusing ${refusing.at(-1)!.toFixed(0)}/s`,
      );
    }
    const ratioOf = (rates: number[]) => median(rates.map((rate, i) => rate / healthy[i]!));
    return {
      id: 'dead_fifth',
      value: median(hanging),
      unit: '/s',
      baseline: median(healthy),
      ratio: ratioOf(hanging),
      samples: hanging,
      details: { refusing: median(refusing), refusing_ratio: ratioOf(refusing) },
    };
  },
};

/** The fifth is deleted afterwards, which cancels what waits for it; the rest is delivered. */
async function withFifth(
  installation: Installation,
  url: string,
  work: () => Promise<number>,
): Promise<number> {
  const id = await addWebhook(installation, url);
  const rate = await work();
  const answer = await installation.api.delete(`/v1/webhooks/${id}`);
  if (answer.status !== 204) throw new Error(`The fifth was not deleted: ${answer.text}`);
  return rate;
}

/** Deliveries per second to these webhooks, from the first commit to the last record. */
async function rateOf(
  installation: Installation,
  webhookIds: readonly string[],
  count: number,
): Promise<number> {
  const startedAt = performance.now();
  await commitEvents(installation, count);
  const deadline = Date.now() + 90_000;
  while (await isWaiting(installation, webhookIds)) {
    if (Date.now() > deadline) throw new Error('The others are not delivered after 90 s.');
    await sleep(20);
  }
  return (count * webhookIds.length) / ((performance.now() - startedAt) / 1_000);
}

async function isWaiting({ db }: Installation, webhookIds: readonly string[]): Promise<boolean> {
  const waiting = await db
    .selectFrom('deliveries')
    .select('id')
    .where((eb) => eb.or([eb('status', '=', 'pending'), eb('status', '=', 'retrying')]))
    .where('webhook_id', 'in', webhookIds)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
