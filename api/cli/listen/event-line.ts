// One line for each event that `listen` prints: when, what, of what, and how it was taken.
import { styleText } from 'node:util';
import type { SendResult } from '../../../activities/egress/send-outcome.ts';
import { eventTypes } from '../../../schema/events.ts';
import type { StreamedEvent } from './event-stream.ts';
import { kindOf } from './forwarder.ts';

const kindWidth = Math.max(...eventTypes.map(({ length }) => length));

/** Coloured where the stream shows colours. Without a result: it was not forwarded. */
export function eventLine(
  { id, body, postId, socialAccountId }: StreamedEvent,
  result: SendResult | undefined,
  now: Date,
  stream: NodeJS.WritableStream,
): string {
  const paint = (colour: Parameters<typeof styleText>[0], text: string) =>
    styleText(colour, text, { stream });
  const parts = [
    paint('dim', now.toTimeString().slice(0, 8)),
    paint('bold', kindOf(body).padEnd(kindWidth)),
    postId ?? socialAccountId ?? id,
  ];
  if (result) {
    const answer = String(result.status ?? '');
    const fault = result.ok ? '' : result.errorCode;
    const colour = isTaken(result) ? 'green' : 'red';
    parts.push(paint(colour, [answer, fault].filter(Boolean).join(' ')));
    parts.push(paint('dim', `${Math.round(result.timings.total_ms)} ms`));
  }
  return parts.join('  ');
}

function isTaken({ ok, status }: SendResult): boolean {
  return ok && status >= 200 && status < 300;
}
