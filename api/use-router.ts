// Yoga plugin: hands every path but /graphql to the router, before Yoga looks at the request.
import type { IncomingMessage } from 'node:http';
import type { Plugin } from 'graphql-yoga';

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

export function useRouter(routes: Routes, otherwise: Respond): Plugin<object, NodeRequest> {
  return {
    onRequest(hook) {
      const { request } = hook;
      const path = hook.url.pathname;
      if (path === graphqlPath) return;
      const second = path.indexOf('/', 1);
      const prefix = second === -1 ? path : path.slice(0, second);
      const answer = (routes[prefix] ?? otherwise)(request, hook.serverContext);
      if (answer instanceof Promise) return answer.then((response) => hook.endResponse(response));
      hook.endResponse(answer);
    },
  };
}
