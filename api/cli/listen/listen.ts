// The command `listen`: streams the project's events and forwards them to a developer's server.
import { styleText } from 'node:util';
import type { SendResult } from '../../../activities/egress/send-outcome.ts';
import { eventTypes } from '../../../schema/event-types.ts';
import type { Terminal } from '../output/terminal.ts';
import { writeCursorFile } from './cursor-file.ts';
import { openEventStream, type StreamedEvent } from './event-stream.ts';
import { createForwarder, typeOf } from './forwarder.ts';
import type { ListenOptions } from './options.ts';

/** Resolves when the signal aborts. Rejects if the command can't continue. */
export async function listen(
  options: ListenOptions,
  { print, note, isScreen, signal }: Terminal,
): Promise<void> {
  const { url, forwardTo, secret, cursorFile, isJson } = options;
  const tell = isJson ? note : print;
  const events = openEventStream({
    ...options,
    onLost: (reason) => note(`Connection lost: ${reason}. Reconnecting.`),
    onResumed: () => note('Reconnected.'),
    signal,
  });
  const keep = async (cursor: string) => {
    if (cursorFile !== undefined) await writeCursorFile(cursorFile, cursor);
  };
  if (forwardTo !== undefined) tell(`Signing secret: ${secret}`);
  const forwarder =
    forwardTo === undefined ? undefined : createForwarder({ ...options, forwardTo, signal });
  try {
    // Also checks the connection and the key.
    const now = await events.readCursor();
    const after = options.after ?? now;
    // A given cursor is saved only after it has worked, because it may be invalid.
    if (options.after === undefined) await keep(after);
    const target = forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`;
    tell(`Listening to ${url}${target}. Press Ctrl-C to stop.`);
    for await (const { cursor, event } of events.after(after)) {
      if (event) {
        const result = await forwarder?.send(event);
        print(isJson ? jsonLine(event, cursor, result) : eventLine(event, result, isScreen));
      }
      await keep(cursor);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await forwarder?.close();
  }
}

const typeWidth = Math.max(...eventTypes.map(({ length }) => length));

function jsonLine(
  { id, body, postId, socialAccountId }: StreamedEvent,
  cursor: string,
  result: SendResult | undefined,
): string {
  const forwarded = result && {
    status: result.status,
    error_code: result.ok ? null : result.errorCode,
    total_ms: Math.round(result.timings.total_ms),
  };
  return JSON.stringify({
    id,
    post_id: postId,
    social_account_id: socialAccountId,
    cursor,
    body: JSON.parse(body) as unknown,
    forwarded: forwarded ?? null,
  });
}

/** Time, type, subject, and the result of the request if the event was forwarded. */
function eventLine(
  { id, body, postId, socialAccountId }: StreamedEvent,
  result: SendResult | undefined,
  isScreen: boolean,
): string {
  const paint = (color: Parameters<typeof styleText>[0], text: string) =>
    isScreen ? styleText(color, text) : text;
  const parts = [
    paint('dim', new Date().toTimeString().slice(0, 8)),
    paint('bold', typeOf(body).padEnd(typeWidth)),
    postId ?? socialAccountId ?? id,
  ];
  if (result) {
    const answer = String(result.status ?? '');
    const error = result.ok ? '' : result.errorCode;
    const isAccepted = result.ok && result.status >= 200 && result.status < 300;
    parts.push(paint(isAccepted ? 'green' : 'red', [answer, error].filter(Boolean).join(' ')));
    parts.push(paint('dim', `${Math.round(result.timings.total_ms)} ms`));
  }
  return parts.join('  ');
}
