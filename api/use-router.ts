// Yoga plugin: hands every path but /graphql to the router, before Yoga looks at the request.
import type { IncomingMessage } from 'node:http';
import type { Plugin } from 'graphql-yoga';
import type { Context } from './context.ts';
import { toAppError, toErrorAnswer } from './errors.ts';
import { nameRequest } from './request-id.ts';

/** What Node knows of a request beside the standard one: its socket. */
export interface NodeRequest {
  req: IncomingMessage;
}

export type Respond = (request: Request, node: NodeRequest) => Response | Promise<Response>;

/** Handlers of paths below a prefix; '' takes the rest. */
export interface Routes {
  [prefix: string]: Respond;
}

export const graphqlPath = '/graphql';

export function useRouter(
  context: Context,
  routes: Routes,
  otherwise: Respond,
): Plugin<object, NodeRequest> {
  return {
    async onRequest(hook) {
      const path = hook.url.pathname;
      if (path === graphqlPath) return;
      const second = path.indexOf('/', 1);
      const prefix = second === -1 ? path : path.slice(0, second);
      const respond = routes[prefix] ?? otherwise;
      try {
        hook.endResponse(await respond(hook.request, hook.serverContext));
      } catch (error) {
        hook.endResponse(refuse(context, error));
      }
    },
  };
}

/** What a part let slip; the server under Yoga would show the client its stack. */
function refuse(context: Context, thrown: unknown): Response {
  const requestId = nameRequest(null);
  const known = toAppError(context, thrown, requestId);
  const { status, headers, error } = toErrorAnswer(context, known);
  return Response.json({ error, request_id: requestId }, { status, headers });
}
