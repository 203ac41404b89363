// The line that `listen` prints for an event: time, type, subject, and the result of the request.
import { styleText } from 'node:util';
import type { SendResult } from '../../../activities/egress/send-outcome.ts';
import { eventTypes } from '../../../schema/event-types.ts';
import type { StreamedEvent } from './event-stream.ts';
import { typeOf } from './forwarder.ts';

const typeWidth = Math.max(...eventTypes.map(({ length }) => length));

/** Colored if the stream supports it. `result` is undefined if the event was not forwarded. */
export function eventLine(
  { id, body, postId, socialAccountId }: StreamedEvent,
  result: SendResult | undefined,
  now: Date,
  stream: NodeJS.WritableStream,
): string {
  const paint = (color: Parameters<typeof styleText>[0], text: string) =>
    styleText(color, text, { stream });
  const parts = [
    paint('dim', now.toTimeString().slice(0, 8)),
    paint('bold', typeOf(body).padEnd(typeWidth)),
    postId ?? socialAccountId ?? id,
  ];
  if (result) {
    const answer = String(result.status ?? '');
    const error = result.ok ? '' : result.errorCode;
    const color = isAccepted(result) ? 'green' : 'red';
    parts.push(paint(color, [answer, error].filter(Boolean).join(' ')));
    parts.push(paint('dim', `${Math.round(result.timings.total_ms)} ms`));
  }
  return parts.join('  ');
}

function isAccepted({ ok, status }: SendResult): boolean {
  return ok && status >= 200 && status < 300;
}
