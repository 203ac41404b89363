// Compresses JSON and pages for clients that accept it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';

/** A smaller answer fits in a few packets, so compressing it costs more than it saves. */
const thresholdBytes = 4_096;

const isText = /^(application\/(graphql-response\+)?json|text\/(html|css|javascript))/;

const middleware = compression({
  threshold: thresholdBytes,
  // A stream of events must not wait in a buffer. The length of a compressed page that repeats its input
  // could betray its secrets (BREACH).
  filter: ({ url }, response) =>
    isText.test(String(response.getHeader('Content-Type'))) && !url.startsWith('/connect'),
});

type Express = Parameters<typeof middleware>;

/** The middleware needs only what Node's own messages have. */
export function compress(
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  middleware(request as Express[0], response as Express[1], next);
}
