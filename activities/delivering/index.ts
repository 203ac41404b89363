// The activities of `deliverEvents`.
import type { DeliverEventsInput, WaitingDelivery } from '../../schema/workflows.ts';
import { attemptRound, type RoundDependencies } from './deliver-batch.ts';
import type { HeadStart } from './eager-start.ts';
import { withHeartbeat } from '../with-heartbeat.ts';

export interface DeliveringDependencies extends RoundDependencies {
  headStart?: Pick<HeadStart, 'join'>;
}

export function createDelivering(dependencies: DeliveringDependencies) {
  const { headStart } = dependencies;
  return {
    /** The first round runs as a local activity, which has no heartbeat. */
    deliver: async (input: DeliverEventsInput): Promise<WaitingDelivery[]> =>
      (await headStart?.join(input.batchId)) ?? attemptRound(dependencies, input),
    /** Later rounds are ordinary activities: a dead worker is noticed by its silence. */
    deliverAgain: (input: DeliverEventsInput): Promise<WaitingDelivery[]> =>
      withHeartbeat(() => attemptRound(dependencies, input)),
  };
}
