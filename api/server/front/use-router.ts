// Yoga plugin: passes every path except /graphql to the router, before Yoga reads the request.
import { graphqlPath, type HttpPlugin, type NodeRequest } from '../../graphql/server/yoga.ts';
import type { Context } from '../../http/context.ts';
import { respondError } from '../../http/errors.ts';

export type Respond = (request: Request, node: NodeRequest) => Response | Promise<Response>;

/** Handlers by the first segment of the path. */
export type Routes = Readonly<Record<string, Respond>>;

export function useRouter(context: Context, routes: Routes, otherwise: Respond): HttpPlugin {
  return {
    async onRequest(hook) {
      const path = hook.url.pathname;
      if (path === graphqlPath) return;
      const respond = routes[firstSegment(path)] ?? otherwise;
      try {
        hook.endResponse(await respond(hook.request, hook.serverContext));
      } catch (error) {
        // If the error stayed uncaught, the server under Yoga would send its stack to the client.
        hook.endResponse(respondError(context, hook.request, error));
      }
    },
  };
}

/** `/v1/posts` → `/v1`. Nothing is at `//`. */
function firstSegment(path: string): string {
  const second = path.indexOf('/', 1);
  if (second === 1) return path;
  return second === -1 ? path : path.slice(0, second);
}
