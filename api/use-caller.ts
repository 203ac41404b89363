// Yoga plugin: who asks GraphQL over HTTP, how often they may, and the id of their request.
import { parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { AppError } from '../schema/errors.ts';
import { authenticate } from './auth.ts';
import { isJson } from './body.ts';
import type { Caller, Context } from './context.ts';
import { takeRequest } from './rate-limit.ts';
import { nameRequest } from './request-id.ts';

/** What this plugin finds, carried by the request's own context. */
export interface RequestState {
  caller?: Caller;
  requestId?: string;
}

/** More than GraphiQL's introspection and any document by hand; checking takes longer than linear. */
const maxTokens = 2_000;

export function useCaller(context: Context): Plugin<RequestState> {
  return {
    async onRequestParse({ request, serverContext }) {
      const state = serverContext as RequestState;
      state.requestId = nameRequest(request.headers.get('X-Request-Id'));
      const authorization = request.headers.get('Authorization');
      if (authorization !== null) {
        state.caller = await authenticate(context, authorization);
        takeRequest(context, state.caller);
      }
      if (request.method === 'POST' && !isJson(request)) {
        throw new AppError('unsupported_media_type', 'Send the document as JSON.', {
          hint: 'Content-Type: application/json',
        });
      }
    },
    onParse({ setParseFn }) {
      setParseFn((source: Parameters<typeof parse>[0], options: object) =>
        parse(source, { ...options, maxTokens }),
      );
    },
    onResponse({ response, serverContext }) {
      const { requestId } = serverContext as RequestState;
      if (requestId !== undefined) response.headers.set('X-Request-Id', requestId);
    },
  };
}
