// One manual attempt of a delivery, in addition to its schedule.
import type { RetryDeliveryInput } from '../schema/workflows.ts';
import { attemptOnce } from './activities.ts';

export async function retryDelivery(input: RetryDeliveryInput): Promise<void> {
  await attemptOnce(input);
}
