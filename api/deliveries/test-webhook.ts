// A test event: a sample, delivered to one webhook like a real event.
import { findDelivery } from '../../schema/database/webhooks/deliveries.ts';
import { recordTestEvent } from '../../schema/database/events/record.ts';
import { lockWebhook } from '../../schema/database/webhooks/webhooks.ts';
import { eventCatalogue } from '../../schema/event-types.ts';
import type { Delivery } from '../../schema/deliveries.ts';
import type { TestWebhook } from '../../schema/webhooks.ts';
import type { Caller, Context } from '../http/context.ts';
import { presentDelivery } from './presenter.ts';
import { transact, type Answer } from '../http/transact.ts';

/** Sends any event type, subscribed or not, even to a disabled webhook. */
export function testWebhook(
  context: Context,
  caller: Caller,
  id: string,
  { event }: TestWebhook,
): Promise<Answer<Delivery>> {
  return transact(context, caller, async ({ trx, change }) => {
    const webhook = await lockWebhook(trx, caller, id);
    const type = event ?? webhook.events[0]!;
    const { eventId, deliveryId } = await recordTestEvent(trx, {
      projectId: caller.projectId,
      webhookId: id,
      environment: webhook.environment,
      type,
      data: eventCatalogue[type].sample,
    });
    change({ subject: 'event', subject_id: eventId, kind: 'recorded' });
    change({ subject: 'delivery', subject_id: deliveryId, kind: 'created' });
    const row = await findDelivery(trx, caller, deliveryId);
    return { status: 202, data: presentDelivery(row!) };
  });
}
