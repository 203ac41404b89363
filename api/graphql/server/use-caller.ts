// Yoga plugin: who asks GraphQL over HTTP, how often they may, and the id of their request.
import type { Plugin } from 'graphql-yoga';
import { AppError } from '../../../schema/wire/errors.ts';
import { authenticate } from '../../http/auth.ts';
import { isJson } from '../../http/body.ts';
import type { Caller, Context } from '../../server/context.ts';
import { checkKey } from '../../http/idempotency.ts';
import { takeRequest } from '../../http/rate-limit.ts';
import { nameRequest } from '../../http/request-id.ts';

/** What this plugin finds, carried by the request's own context. */
export interface RequestState {
  caller?: Caller;
  requestId?: string;
  idempotencyKey?: string | undefined;
  ended?: AbortSignal;
}

export function useCaller(context: Context): Plugin<RequestState> {
  return {
    async onRequestParse({ request, serverContext }) {
      const state = serverContext as RequestState;
      state.requestId = nameRequest(request.headers.get('X-Request-Id'));
      state.ended = request.signal;
      const authorization = request.headers.get('Authorization');
      if (authorization !== null) {
        state.caller = await authenticate(context, authorization);
        takeRequest(context, state.caller);
      } else {
        requireSmall(request);
      }
      const idempotencyKey = request.headers.get('Idempotency-Key');
      state.idempotencyKey = checkKey(idempotencyKey, 'headers.Idempotency-Key');
      if (request.method === 'GET') requireJsonParameters(new URL(request.url));
      if (request.method === 'POST' && !isJson(request)) {
        throw new AppError('unsupported_media_type', 'Send the document as JSON.', {
          hint: 'Content-Type: application/json',
        });
      }
    },
    onResponse({ response, serverContext }) {
      const { requestId } = serverContext as RequestState;
      if (requestId !== undefined) response.headers.set('X-Request-Id', requestId);
    },
  };
}

/** Without an API key: enough to read the schema, and little to parse. */
function requireSmall(request: Request): void {
  const { search } = new URL(request.url);
  // A body without a length could be of any size.
  const length = request.body ? Number(request.headers.get('Content-Length') ?? Infinity) : 0;
  if (Math.max(length, search.length) <= maxBytesWithoutKey) return;
  const message = `Without an API key, a request must have a Content-Length of at most ${maxBytesWithoutKey} bytes.`;
  throw new AppError('payload_too_large', message, {
    hint: 'Authorization: Bearer <API_KEY>',
    details: { limit: maxBytesWithoutKey },
  });
}

const maxBytesWithoutKey = 8_192;

/** Yoga would take a fault in them for one of ours. */
function requireJsonParameters({ searchParams }: URL): void {
  for (const path of ['variables', 'extensions']) {
    try {
      JSON.parse(searchParams.get(path) || '{}');
    } catch {
      const issues = [{ path, code: 'invalid_json', message: 'is not valid JSON' }];
      throw new AppError('malformed_json', `${path}: is not valid JSON`, { issues });
    }
  }
}
