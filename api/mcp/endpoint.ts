// The endpoint `/mcp`: Streamable HTTP without sessions, so that any process can answer any request.
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server';
import { createKeyedLimit } from '../../activities/keyed-limits.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import { fixedLimits } from '../../schema/wire/limits.ts';
import { authenticateKey } from '../http/auth/api-keys.ts';
import { requireAllowedOrigin } from '../http/auth/origins.ts';
import { parseJson, readBody } from '../http/body.ts';
import type { Caller, Context } from '../http/context.ts';
import { toAppError, toErrorAnswer } from '../http/errors.ts';
import { countRequest } from '../http/rate-limit.ts';
import { nameRequest } from '../http/request-id.ts';
import type { Agent } from './agent.ts';
import { createRestCalls } from './rest-calls.ts';
import { createToolServer } from './tool-server.ts';
import { createWaits } from './waits.ts';

export interface McpEndpoint {
  fetch(request: Request): Promise<Response>;
  /** Ends the calls that wait, with the present state. */
  endWaits(): void;
  close(): Promise<void>;
}

/** MCP has no batches since its revision of 2025-06-18. */
const notOne: Issue = { path: [], code: 'invalid_type', message: 'must be one JSON-RPC message' };

/** The code of JSON-RPC for errors of a server. */
const serverError = -32_000;

/** `rest`: answers the calls of the tools. */
export function createMcpEndpoint(
  context: Context,
  rest: {
    fetch(request: Request, from: { isCounted: boolean }): Response | Promise<Response>;
  },
): McpEndpoint {
  const { publicUrl, log, config } = context;
  const waits = createWaits();
  const mediaInTurn = createKeyedLimit(1);

  const handler = createMcpHandler(({ authInfo }) => createToolServer(agentOf(authInfo!)), {
    // The tools of a key don't change, so no client has to listen for changes.
    maxSubscriptions: 0,
    onerror: (err) => log.debug({ component: 'mcp', err }, 'an MCP request failed'),
  });

  function agentOf({ token, clientId, extra }: AuthInfo): Agent {
    const { projectId, scopes } = extra!['caller'] as Caller;
    return {
      keyId: clientId,
      projectId,
      scopes,
      waits,
      mediaInTurn,
      ask: createRestCalls(
        (request) => rest.fetch(request, { isCounted: true }),
        publicUrl,
        `Bearer ${token}`,
      ),
      toError: (thrown) => toErrorAnswer(context, toAppError(context, thrown, undefined)).error,
    };
  }

  async function respond(request: Request): Promise<Response> {
    requireAllowedOrigin(context, request.headers.get('Origin'));
    const authorization = request.headers.get('Authorization');
    const caller = await authenticateKey(context, authorization);
    const authInfo = {
      token: authorization!.replace(/^Bearer +/i, '').trim(),
      clientId: caller.keyId,
      scopes: [...caller.scopes],
      extra: { caller },
    };
    // Also one that fails before a tool calls the API. What the tool calls then is part of it.
    countRequest(context, caller);
    if (request.method !== 'POST') return handler.fetch(request, { authInfo });
    // Large enough that the API refuses large arguments itself, by the name of its limit.
    const bytes = await readBody(request, config.maxBodyBytes * fixedLimits.bulkBodyTimes);
    const parsedBody = parseJson(bytes);
    if (Array.isArray(parsedBody)) throw validationError([notOne]);
    return handler.fetch(request, { authInfo, parsedBody });
  }

  return {
    async fetch(request) {
      try {
        return await respond(request);
      } catch (thrown) {
        const requestId = nameRequest(request.headers.get('X-Request-Id'));
        const { status, headers, error } = toErrorAnswer(
          context,
          toAppError(context, thrown, requestId),
        );
        const body = {
          jsonrpc: '2.0',
          error: { code: serverError, message: error.message, data: error },
          id: null,
        };
        return Response.json(body, {
          status,
          headers: { ...headers, 'Cache-Control': 'no-store', 'X-Request-Id': requestId },
        });
      }
    },
    endWaits: () => waits.close(),
    close: () => handler.close(),
  };
}
