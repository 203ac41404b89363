// Attempts each delivery of a batch when it is due, until all have concluded. The relay's process usually makes
// the first attempts.
import { condition, continueAsNew, defineQuery, setHandler } from '@temporalio/workflow';
import {
  deliveriesQuery,
  type DeliverEventsInput,
  type WaitingDelivery,
} from '../schema/workflows.ts';
import { deliver, deliverAgain } from './activities.ts';
import { groupByTime, type Group } from './group-by-time.ts';

/** A delivery waits at most this long for its group. */
const windowMs = 3_000;
/** This number is enough for a batch's whole retry schedule, unless receivers keep all connections busy. */
const maxRuns = 50;

export async function deliverEvents(input: DeliverEventsInput): Promise<void> {
  const { batchId, deliveryIds, isFailing = false } = input;
  const waiting = new Map<string, WaitingDelivery>();
  setHandler(defineQuery<WaitingDelivery[]>(deliveriesQuery), () => [...waiting.values()]);
  let runs = 0;

  /** The groups run in parallel, so a slow group doesn't delay the others. */
  const retry = async (deliveries: WaitingDelivery[]): Promise<void> => {
    for (const delivery of deliveries) waiting.set(delivery.deliveryId, delivery);
    await Promise.all(groupByTime(deliveries, () => windowMs).map(retryGroup));
  };

  const retryGroup = async ({ items, waitMs }: Group<WaitingDelivery>): Promise<void> => {
    if (await condition(() => runs >= maxRuns, Math.max(waitMs, 1))) return;
    runs++;
    const ids = items.map(({ deliveryId }) => deliveryId);
    const left = await deliverAgain({ batchId, deliveryIds: ids });
    for (const id of ids) waiting.delete(id);
    await retry(left);
  };

  // The rows decide which deliveries are due, so a batch may be restarted at any attempt.
  const attempt = isFailing ? deliverAgain : deliver;
  await retry(await attempt({ batchId, deliveryIds }));
  if (waiting.size > 0) {
    await continueAsNew<typeof deliverEvents>({ ...input, deliveryIds: [...waiting.keys()] });
  }
}
