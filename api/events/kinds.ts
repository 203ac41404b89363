// The catalogue of event kinds, each with the JSON Schema of the body that a webhook receives.
import { z } from 'zod';
import { AccountEventData } from '../../schema/accounts.ts';
import {
  eventCatalogue,
  eventKinds,
  type EventKind,
  type EventKindInfo,
} from '../../schema/events.ts';
import { PostEventData } from '../../schema/posts.ts';
import { Timestamp } from '../../schema/timestamp.ts';

/** Only a disconnect has a reason. */
function dataOf(kind: EventKind): z.ZodType {
  if (kind.startsWith('post.')) return PostEventData;
  if (kind === 'account.disconnected') return AccountEventData.required({ reason: true });
  return AccountEventData.omit({ reason: true });
}

export const eventKindInfos: EventKindInfo[] = eventKinds.map((event) => {
  const body = z.object({ event: z.literal(event), timestamp: Timestamp, data: dataOf(event) });
  // Members may be added later, so that a receiver's check must let unknown ones pass.
  const json_schema = z.toJSONSchema(body, { io: 'input' });
  return { event, ...eventCatalogue[event], json_schema };
});
