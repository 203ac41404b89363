// The activities of `deliverEvents`.
import type { DeliverEventsInput, WaitingDelivery } from '../../schema/workflows.ts';
import { attemptBatch, type BatchDependencies } from './deliver-batch.ts';
import type { EagerStart } from './eager-start.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

export interface DeliveringDependencies extends BatchDependencies {
  eagerStart?: Pick<EagerStart, 'join'>;
}

export function createDelivering(dependencies: DeliveringDependencies) {
  const { eagerStart } = dependencies;
  return {
    /** The first run is a local activity, which has no heartbeat. */
    deliver: async (input: DeliverEventsInput): Promise<WaitingDelivery[]> =>
      (await eagerStart?.join(input.batchId)) ?? attemptBatch(dependencies, input),
    /** Later runs are ordinary activities. Their heartbeats show when a worker dies. */
    deliverAgain: (input: DeliverEventsInput): Promise<WaitingDelivery[]> =>
      withHeartbeat(() => attemptBatch(dependencies, input)),
  };
}
