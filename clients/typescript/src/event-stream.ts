// Server-sent events of one GraphQL subscription.
import {
  FanfareError,
  invalidAnswer,
  parseObject,
  toError,
  type GraphqlMessage,
} from './errors.ts';
import { connectionError, type Connection } from './send.ts';

/** The server sends a comment every 12 seconds. */
const silentMs = 40_000;
/** In characters. A longer message would fill the memory. */
const longestMessage = 4 * 1_048_576;

/** Yields each message. Throws a FanfareError when the stream breaks, or the signal's reason. */
export async function* openEventStream(
  { url, apiKey, fetch }: Connection,
  request: { query: string; variables: Record<string, unknown> },
  signal: AbortSignal | undefined,
): AsyncGenerator<GraphqlMessage, void, undefined> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener('abort', end, { once: true });
  let timer = setTimeout(end, silentMs);
  try {
    signal?.throwIfAborted();
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
      },
      body: JSON.stringify(request),
      signal: ending.signal,
    });
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
      throw toError(response, await response.text());
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      clearTimeout(timer);
      timer = setTimeout(end, silentMs);
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop()!;
      if (rest.length > longestMessage) throw invalidAnswer('A message of the stream has no end.');
      for (const block of blocks) {
        const data = /^data: ?(.+)$/m.exec(block)?.[1];
        if (data !== undefined) yield parseObject(data);
        else if (/^event: ?complete/m.test(block)) return;
      }
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw cause instanceof FanfareError ? cause : connectionError(url, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    end();
  }
}
