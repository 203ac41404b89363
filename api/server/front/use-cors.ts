// Yoga plugin: lets browsers on other origins call the API. Pages of users, such as `/connect`, never allow it.
import type { HttpPlugin, NodeRequest } from '../../graphql/server/yoga.ts';

interface Policy {
  /** Undefined: every origin. */
  origins?: readonly string[];
  methods: string;
  exposedHeaders?: string;
}

const ofDocument: Policy = { methods: 'GET,HEAD' };
const exposedHeaders = [
  'Deprecation',
  'Fanfare-Still-Public',
  'Idempotency-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Sunset',
  'X-Request-Id',
].join();
const maxAgeS = '600';

/** `origins`: the origins that may call the API. The OpenAPI document is open to all. */
export function useCors(origins: readonly string[]): HttpPlugin {
  const ofApi: Policy = { origins, methods: 'GET,HEAD,PUT,PATCH,POST,DELETE', exposedHeaders };

  function policyOf({ req }: NodeRequest): Policy | undefined {
    const path = req.url!.split('?', 1)[0]!;
    if (path === '/v1/openapi.json') return ofDocument;
    return origins.length > 0 && /^\/(v1|graphql|mcp)(\/|$)/.test(path) ? ofApi : undefined;
  }

  return {
    onRequest({ request, serverContext, endResponse, fetchAPI }) {
      const policy = request.method === 'OPTIONS' ? policyOf(serverContext) : undefined;
      if (!policy) return;
      const headers = new fetchAPI.Headers({
        'Access-Control-Allow-Methods': policy.methods,
        'Access-Control-Max-Age': maxAgeS,
        'Content-Length': '0',
        Vary: 'Access-Control-Request-Headers',
      });
      const asked = request.headers.get('Access-Control-Request-Headers');
      if (asked !== null) headers.set('Access-Control-Allow-Headers', asked);
      endResponse(new fetchAPI.Response(null, { status: 204, headers }));
    },
    onResponse({ request, response: { headers }, serverContext }) {
      const policy = policyOf(serverContext);
      if (!policy) return;
      const origin = request.headers.get('Origin') ?? '';
      if (!policy.origins) headers.set('Access-Control-Allow-Origin', '*');
      else if (policy.origins.includes(origin)) headers.set('Access-Control-Allow-Origin', origin);
      if (policy.origins) headers.append('Vary', 'Origin');
      if (policy.exposedHeaders) {
        headers.set('Access-Control-Expose-Headers', policy.exposedHeaders);
      }
    },
  };
}
