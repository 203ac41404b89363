// The command `listen`: follows the project's events and forwards them to a developer's own server.
import { writeCursorFile } from './cursor-file.ts';
import { eventLine } from './event-line.ts';
import { openEventStream } from './event-stream.ts';
import { createForwarder } from './forwarder.ts';
import type { ListenOptions } from './options.ts';

export interface Terminal {
  print(line: string): void;
  warn(line: string): void;
  /** Where `print` writes, which tells whether colours are shown. */
  stream: NodeJS.WritableStream;
}

/** Resolves once the signal says so; rejects where there is no going on. */
export async function listen(
  options: ListenOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { url, forwardTo, secret, cursorFile } = options;
  const { print, warn, stream } = terminal;
  const events = openEventStream({
    ...options,
    onBroken: (reason) => warn(`The stream is broken (${reason}). Trying again.`),
    onMended: () => warn('The stream goes on.'),
    signal,
  });
  const keep = async (cursor: string) => {
    if (cursorFile !== undefined) await writeCursorFile(cursorFile, cursor);
  };
  if (forwardTo !== undefined) print(`Requests are signed with ${secret}`);
  const forwarder =
    forwardTo === undefined ? undefined : createForwarder({ ...options, forwardTo, signal });
  try {
    // Asked also where it isn't needed: it shows that the connection stands, and the key is good.
    const now = await events.readCursor();
    const after = options.after ?? now;
    // One that was given is kept once the stream has gone on from it, since it may be none.
    if (options.after === undefined) await keep(after);
    const target = forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`;
    print(`Listening to ${url}${target}. Ctrl-C ends it.`);
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
