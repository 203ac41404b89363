// One attempt of a delivery beside its schedule, as a client asked for it.
import type { RetryDeliveryInput } from '../schema/workflows.ts';
import { attemptOnce } from './activities.ts';

export async function retryDelivery(input: RetryDeliveryInput): Promise<void> {
  await attemptOnce(input);
}
