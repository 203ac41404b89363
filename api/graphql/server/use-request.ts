// Yoga plugin: reads a GraphQL request over HTTP: its caller, its parameters and its document.
import type { ExecutionArgs } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { AppError } from '../../../schema/wire/errors.ts';
import { parseJson, readBody, requireType } from '../../http/body.ts';
import { asProject } from '../../../activities/current-project.ts';
import type { Caller, Context } from '../../http/context.ts';
import { authenticateRequest, ofHeaders } from '../../http/auth/sessions.ts';
import { checkKey, keyHeaderPath } from '../../http/idempotency.ts';
import { readRateLimit, countRequest } from '../../http/rate-limit.ts';
import { nameRequest } from '../../http/request-id.ts';
import { check } from '../../http/validation.ts';
import { badRequest } from '../errors.ts';
import type { DocumentRequest, StoredDocuments } from './stored-documents.ts';

/** The plugin adds this to the request's context. */
export interface RequestState {
  caller?: Caller;
  requestId?: string;
  idempotencyKey?: string | undefined;
  ended?: AbortSignal;
}

export function useRequest(context: Context, documents: StoredDocuments): Plugin<RequestState> {
  return {
    async onRequestParse({ request, serverContext, setRequestParser }) {
      const state = serverContext as RequestState;
      state.requestId = nameRequest(request.headers.get('X-Request-Id'));
      state.ended = request.signal;
      const credentials = ofHeaders(request.headers);
      if (credentials.isSession || typeof credentials.authorization === 'string') {
        state.caller = await authenticateRequest(context, credentials);
        countRequest(context, state.caller);
      } else {
        requireSmall(request);
      }
      state.idempotencyKey = checkKey(request.headers.get('Idempotency-Key'), keyHeaderPath);
      setRequestParser((request) => readParameters(request, context.config.maxBodyBytes));
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      const { caller } = args.contextValue as RequestState;
      if (!caller) return;
      setExecuteFn((executed: ExecutionArgs) =>
        asProject(caller.projectId, () => executeFn(executed) as unknown),
      );
    },
    onParams({ params, setParams, context }) {
      const { caller } = context as RequestState;
      const query = documents.readDocument(params as DocumentRequest, caller !== undefined);
      if (typeof query !== 'string') {
        throw badRequest({ path: ['query'], code: 'required', message: 'is required' });
      }
      if (query !== params.query) setParams({ ...params, query });
    },
    onResponse({ response, serverContext }) {
      const { requestId, caller } = serverContext as RequestState;
      const headers = caller ? readRateLimit(context, caller) : {};
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      if (requestId !== undefined) response.headers.set('X-Request-Id', requestId);
    },
  };
}

/** Refuses a large request without an API key. The limit is enough to read the schema. */
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

const Members = z.record(z.string(), z.unknown()).nullish();
const Parameters = z.strictObject({
  query: z.string().nullish(),
  operationName: z.unknown().optional(),
  documentId: z.unknown().optional(),
  variables: Members,
  extensions: Members,
});

/** Yoga would make the same checks, but its errors have no code and no path. */
async function readParameters(request: Request, maxBytes: number): Promise<GraphQLParams> {
  const given =
    request.method === 'GET'
      ? fromAddress(new URL(request.url))
      : await fromBody(request, maxBytes);
  if (Array.isArray(given)) {
    const message = 'must be one operation, because batches are not supported';
    throw badRequest({ path: [], code: 'batch_not_supported', message });
  }
  const { issues } = check(Parameters, given);
  if (issues.length > 0) throw badRequest(...issues);
  return given as GraphQLParams;
}

async function fromBody(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(request, maxBytes);
  requireType(request, bytes, false);
  return parseJson(bytes);
}

function fromAddress({ searchParams }: URL): unknown {
  const text = (name: string) => searchParams.get(name) || undefined;
  return {
    query: text('query'),
    operationName: text('operationName'),
    documentId: text('documentId'),
    variables: parseParameter('variables', text('variables')),
    extensions: parseParameter('extensions', text('extensions')),
  };
}

function parseParameter(name: string, text = 'null'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const issues = [{ path: [name], code: 'invalid_json', message: 'must be valid JSON' }];
    throw new AppError('malformed_json', `${name}: must be valid JSON`, { issues });
  }
}
