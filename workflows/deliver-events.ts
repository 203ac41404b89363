// Deliveries that are due together: all attempted, then each again when its own time has come.
import { continueAsNew, defineQuery, setHandler, sleep } from '@temporalio/workflow';
import {
  deliveriesQuery,
  type DeliverEventsInput,
  type WaitingDelivery,
} from '../schema/workflows.ts';
import { deliver, deliverAgain } from './activities.ts';
import { nextGroup } from './next-group.ts';

/** Enough for a batch's whole ladder; more only where receivers keep all connections busy. */
const maxWakes = 50;

export async function deliverEvents({ batchId, deliveryIds }: DeliverEventsInput): Promise<void> {
  let waiting: WaitingDelivery[] = deliveryIds.map((deliveryId) => ({
    deliveryId,
    attemptCount: 0,
    dueAtMs: Date.now(),
  }));
  setHandler(defineQuery<WaitingDelivery[]>(deliveriesQuery), () => waiting);

  // The rows decide what is due, so a batch may be started anew at any attempt.
  waiting = await deliver({ batchId, deliveryIds });
  for (let wakes = 0; waiting.length > 0; wakes++) {
    if (wakes === maxWakes) {
      const left = waiting.map((delivery) => delivery.deliveryId);
      return continueAsNew<typeof deliverEvents>({ batchId, deliveryIds: left });
    }
    const { group, later, wakeAtMs } = nextGroup(waiting);
    await sleep(Math.max(wakeAtMs - Date.now(), 1));
    waiting = [...later, ...(await deliverAgain({ batchId, deliveryIds: group }))];
  }
}
