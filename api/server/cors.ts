// Lets browsers on other origins call the API. Pages of users, such as `/connect`, never allow it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const exposedHeaders = [
  'Idempotency-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
];
const maxAgeS = 600;

/** `origins`: those that may call the API. The OpenAPI document is open to all. */
export function createCors(origins: readonly string[]): Middleware {
  const toDocument: Middleware = cors({ methods: ['GET', 'HEAD'], maxAge: maxAgeS });
  const toApi: Middleware = cors({ origin: [...origins], exposedHeaders, maxAge: maxAgeS });
  return (request, response, next) => {
    const path = request.url!.split('?', 1)[0]!;
    if (path === '/v1/openapi.json') toDocument(request, response, next);
    else if (origins.length > 0 && /^\/(v1|graphql)(\/|$)/.test(path)) {
      toApi(request, response, next);
    } else next();
  };
}
