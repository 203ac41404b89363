// The activities of `deliverEvents`.
import type { DeliverEventsInput, WaitingDelivery } from '../../schema/workflows.ts';
import { attemptBatch, type BatchDependencies } from './deliver-batch.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

export type DeliveringDependencies = BatchDependencies;

export function createDelivering(dependencies: DeliveringDependencies) {
  return {
    /** A workflow's first batch run is a local activity, which has no heartbeat. */
    deliver: (input: DeliverEventsInput): Promise<WaitingDelivery[]> =>
      attemptBatch(dependencies, input),
    /** Later batch runs are ordinary activities. Their heartbeats show when a worker dies. */
    deliverAgain: (input: DeliverEventsInput): Promise<WaitingDelivery[]> =>
      withHeartbeat(() => attemptBatch(dependencies, input)),
  };
}
