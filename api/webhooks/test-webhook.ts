// A test event: a sample that travels to one webhook as real events do.
import { findDelivery } from '../../schema/database/webhooks/deliveries.ts';
import { recordTestEvent } from '../../schema/database/events/test-events.ts';
import { lockWebhook } from '../../schema/database/webhooks/webhooks.ts';
import type { Delivery } from '../../schema/deliveries.ts';
import type { TestWebhook } from '../../schema/webhooks.ts';
import type { Caller, Context } from '../server/context.ts';
import { presentDelivery } from '../deliveries/presenter.ts';
import { transact, type Answer } from '../http/transact.ts';
import { sampleEvents } from './sample-events.ts';

/** Of any kind, also one that it isn't subscribed to, and of a disabled webhook. */
export function testWebhook(
  context: Context,
  caller: Caller,
  id: string,
  { event }: TestWebhook,
): Promise<Answer<Delivery>> {
  return transact(context, caller, async ({ trx, change, notify }) => {
    const webhook = await lockWebhook(trx, caller, id);
    const kind = event ?? webhook.events[0]!;
    const { eventId, deliveryId } = await recordTestEvent(trx, {
      projectId: caller.projectId,
      webhookId: id,
      environment: webhook.environment,
      kind,
      data: sampleEvents[kind],
    });
    change({ subject: 'event', subject_id: eventId, kind: 'recorded' });
    change({ subject: 'delivery', subject_id: deliveryId, kind: 'created' });
    notify('fanfare_deliveries');
    const row = await findDelivery(trx, caller, deliveryId);
    return { status: 202, data: presentDelivery(row!) };
  });
}
