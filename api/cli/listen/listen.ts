// The command `listen`: streams the project's events and forwards them to a developer's server.
import { writeCursorFile } from './cursor-file.ts';
import { eventLine } from './event-line.ts';
import { openEventStream } from './event-stream.ts';
import { createForwarder } from './forwarder.ts';
import type { ListenOptions } from './options.ts';

export interface Terminal {
  print(line: string): void;
  warn(line: string): void;
  /** The target of `print`, which decides whether colors are used. */
  stream: NodeJS.WritableStream;
}

/** Resolves when the signal aborts. Rejects if it can't continue. */
export async function listen(
  options: ListenOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { url, forwardTo, secret, cursorFile } = options;
  const { print, warn, stream } = terminal;
  const events = openEventStream({
    ...options,
    onLost: (reason) => warn(`Connection lost: ${reason}. Reconnecting.`),
    onResumed: () => warn('Reconnected.'),
    signal,
  });
  const keep = async (cursor: string) => {
    if (cursorFile !== undefined) await writeCursorFile(cursorFile, cursor);
  };
  if (forwardTo !== undefined) print(`Signing secret: ${secret}`);
  const forwarder =
    forwardTo === undefined ? undefined : createForwarder({ ...options, forwardTo, signal });
  try {
    // Also checks the connection and the key.
    const now = await events.readCursor();
    const after = options.after ?? now;
    // A given cursor is saved only after it has worked, because it may be invalid.
    if (options.after === undefined) await keep(after);
    const target = forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`;
    print(`Listening to ${url}${target}. Press Ctrl-C to stop.`);
    for await (const { cursor, event } of events.after(after)) {
      if (event) print(eventLine(event, await forwarder?.send(event), new Date(), stream));
      await keep(cursor);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await forwarder?.close();
  }
}
