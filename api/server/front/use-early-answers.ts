// Yoga plugin: closes the connection if an answer comes before the end of the request's body. Otherwise a
// proxy could send its next request on this connection, after bytes that nobody reads.
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { within } from '../../../activities/within.ts';
import type { HttpPlugin } from '../../graphql/server/yoga.ts';

const lingerMs = 2_000;

export function useEarlyAnswers(): HttpPlugin {
  return {
    onResponse({ response, serverContext: { req }, setResponse, fetchAPI }) {
      if (req.complete || !hasBody(req)) return;
      response.headers.set('Connection', 'close');
      setResponse(new fetchAPI.Response(withDrain(response, req), response));
    },
  };
}

/** A client that is reset while it sends never reads the answer, so the answer ends after its request. */
async function* withDrain(
  { body }: Response,
  incoming: IncomingMessage,
): AsyncGenerator<Uint8Array> {
  yield* body ?? [new Uint8Array()];
  incoming.resume();
  await within(
    lingerMs,
    // The client may have gone.
    finished(incoming).catch(() => undefined),
  );
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
