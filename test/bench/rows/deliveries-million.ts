// What a million old deliveries cost new ones: a full installation and an empty one, in turn.
import { addWebhook } from '../endpoints.ts';
import { checkRecorded, deliverRound } from '../events.ts';
import { addOldDeliveries } from '../history.ts';
import { startInstallation } from '../installation.ts';
import { startBenchReceiver } from '../receiver.ts';
import { median, type Row } from '../result.ts';

const old = 1_000_000;
const eventCount = 10_000;
/** The first rounds on a database that was just filled are slower, whatever is in it. */
const warmUp = 5_000;
const rounds = 3;

export const deliveriesMillion: Row = {
  id: 'deliveries_million',
  title: `${eventCount} deliveries with ${old} old ones stored, ${rounds} rounds`,
  async run(progress) {
    await using receiver = await startBenchReceiver();
    await using empty = await startInstallation();
    await using full = await startInstallation();
    for (const installation of [empty, full]) await addWebhook(installation, receiver.urls[0]!);
    await addOldDeliveries(full, old, progress);
    for (const installation of [empty, full]) await deliverRound(installation, warmUp);

    const against: number[] = [];
    const ours: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      // The first of a pair differs, so that neither always comes after the other.
      const turns = [
        async () => against.push((await deliverRound(empty, eventCount)).rate),
        async () => ours.push((await deliverRound(full, eventCount)).rate),
      ];
      for (const turn of round % 2 === 0 ? turns.toReversed() : turns) await turn();
      progress(`${ours.at(-1)!.toFixed(0)}/s; empty ${against.at(-1)!.toFixed(0)}/s`);
    }
    const measured = warmUp + rounds * eventCount;
    await checkRecorded(empty, measured);
    await checkRecorded(full, 1 + old + measured);
    return {
      id: 'deliveries_million',
      value: median(ours),
      unit: '/s',
      baseline: median(against),
      ratio: median(ours.map((rate, i) => rate / against[i]!)),
      samples: ours,
      details: {},
    };
  },
};
