// GraphQL Yoga: serves GraphQL over HTTP and SSE. The plugins of the HTTP server run around the plugins of
// GraphQL.
import type { IncomingMessage } from 'node:http';
import { createLRUCache, createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../../http/context.ts';
import { useGraphiql } from './graphiql.ts';
import { createSchema } from '../../resources/schema.ts';
import type { GraphqlContext } from '../context.ts';
import { createMessages } from '../messages.ts';
import type { KeyWatch } from '../../live/key-watch.ts';
import type { StoredDocuments } from './stored-documents.ts';
import { useAccept } from './use-accept.ts';
import { useDocumentLimits } from './document-limits.ts';
import { useErrors } from './use-errors.ts';
import { useRequest, type RequestState } from './use-request.ts';
import { useSharedResults } from './use-shared-results.ts';

export type YogaServer = YogaServerInstance<RequestState, GraphqlContext>;

export const graphqlPath = '/graphql';

/** Node's own request, with its socket. */
export interface NodeRequest {
  req: IncomingMessage;
}

export type HttpPlugin = Plugin<object, NodeRequest>;

interface YogaOptions {
  keyWatch: KeyWatch;
  documents: StoredDocuments;
  /** Plugins for every path that run before the plugins of GraphQL, and may answer first. */
  before: HttpPlugin[];
  /** Plugins for every path that finish what GraphQL or another plugin has answered. */
  after: HttpPlugin[];
}

const exampleQuery = `# In the tab Headers: { "Authorization": "Bearer <your API key>" }
{
  posts(first: 5) {
    nodes { id status results { platform status url } }
  }
}
`;

const graphiqlOptions = {
  title: 'Fanfare',
  // A WebSocket would omit the headers that the user enters.
  subscriptionsProtocol: 'SSE',
  defaultQuery: exampleQuery,
} as const;

export function createYogaServer(app: Context, options: YogaOptions): YogaServer {
  const { keyWatch, documents, before, after } = options;
  const shared = { app, keyWatch, messages: createMessages(app) };
  return createYoga<RequestState, GraphqlContext>({
    schema: createSchema(),
    context: ({ caller, requestId, idempotencyKey, ended }: RequestState) => ({
      ...shared,
      caller,
      ended,
      idempotencyKey,
      requestId: requestId!,
    }),
    plugins: [
      ...before,
      ...(app.config.hasGraphiql ? [useGraphiql(graphqlPath, graphiqlOptions)] : []),
      useAccept(app),
      useRequest(app, documents),
      useDocumentLimits(app.config),
      useErrors(app),
      useSharedResults(),
      ...after,
    ],
    extraParamNames: ['documentId'],
    graphqlEndpoint: graphqlPath,
    // Turns the health check off. It answers every address with this ending, and no address has a space.
    healthCheckEndpoint: ' ',
    landingPage: false,
    graphiql: false,
    // The largest document takes up to a megabyte once it is parsed.
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: 200 }),
      errorCache: createLRUCache({ max: 20 }),
    },
    batching: false,
    multipart: false,
    cors: false,
    // `use-request.ts` limits the body.
    maxRequestBodySize: false,
    // `use-errors.ts` masks errors, because it knows the request ID.
    maskedErrors: false,
    logging: {
      debug() {},
      info() {},
      warn: (...message: unknown[]) => app.log.warn({ component: 'graphql', message }, 'graphql'),
      error: (...message: unknown[]) => app.log.error({ component: 'graphql', message }, 'graphql'),
    },
  });
}
