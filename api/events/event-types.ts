// The catalogue of event types, each with the JSON Schema of the body that a webhook receives.
import { z } from 'zod';
import { AccountEventData, QuotaEventData } from '../../schema/accounts.ts';
import {
  eventCatalogue,
  eventTypes,
  isSent,
  type EventType,
  type EventTypeInfo,
} from '../../schema/events.ts';
import { PostEventData } from '../../schema/posts/posts.ts';
import { Timestamp } from '../../schema/wire/timestamp.ts';

/** The whole body; members may be added later, so a receiver's check must let unknown ones pass. */
export function eventBody(kind: EventType) {
  return z.object({ event: z.literal(kind), timestamp: Timestamp, data: dataOf(kind) });
}

/** Only a disconnect has a reason. */
function dataOf(kind: EventType): z.ZodType {
  if (kind.startsWith('post.')) return PostEventData;
  if (kind.startsWith('account.quota_')) return QuotaEventData;
  if (kind === 'account.disconnected') return AccountEventData.required({ reason: true });
  return AccountEventData.omit({ reason: true });
}

const types = eventTypes.map((event) => ({
  event,
  ...eventCatalogue[event],
  json_schema: z.toJSONSchema(eventBody(event), { io: 'input' }),
}));

export function describeTypes(config: { previewEvents: boolean }): EventTypeInfo[] {
  return types.map((kind) => ({ ...kind, is_sent: isSent(kind.event, config) }));
}
