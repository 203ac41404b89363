// Deliveries that are due together: all attempted, then each again when its own time has come.
import { condition, continueAsNew, defineQuery, setHandler } from '@temporalio/workflow';
import {
  deliveriesQuery,
  type DeliverEventsInput,
  type WaitingDelivery,
} from '../schema/workflows.ts';
import { deliver, deliverAgain } from './activities.ts';
import { groupByTime, type Group } from './group-by-time.ts';

/** Enough for a batch's whole retry schedule; more only where receivers keep all connections busy. */
const maxWakes = 50;

export async function deliverEvents(input: DeliverEventsInput): Promise<void> {
  const { batchId, deliveryIds, isFailing = false } = input;
  const waiting = new Map<string, WaitingDelivery>();
  setHandler(defineQuery<WaitingDelivery[]>(deliveriesQuery), () => [...waiting.values()]);
  let wakes = 0;

  /** The groups wait and are attempted side by side: a slow one makes no other late. */
  const carry = async (deliveries: WaitingDelivery[]): Promise<void> => {
    for (const delivery of deliveries) waiting.set(delivery.deliveryId, delivery);
    await Promise.all(groupByTime(deliveries).map(carryGroup));
  };

  const carryGroup = async ({ ids, dueAtMs, waitMs }: Group): Promise<void> => {
    // A duration, because due times are by the database's clock, which isn't the one here.
    const timerMs = Math.max(waitMs ?? dueAtMs - Date.now(), 1);
    if (await condition(() => wakes >= maxWakes, timerMs)) return;
    wakes++;
    const left = await deliverAgain({ batchId, deliveryIds: ids });
    for (const id of ids) waiting.delete(id);
    await carry(left);
  };

  // The rows decide what is due, so a batch may be started anew at any attempt.
  const attempt = isFailing ? deliverAgain : deliver;
  await carry(await attempt({ batchId, deliveryIds }));
  if (waiting.size > 0) {
    await continueAsNew<typeof deliverEvents>({ ...input, deliveryIds: [...waiting.keys()] });
  }
}
