// GraphQL Yoga, the one HTTP front: GraphQL over HTTP and SSE itself, every other path by the router.
import { createLRUCache, createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Context } from '../../server/context.ts';
import { createGraphiql } from './graphiql.ts';
import { createSchema } from '../schema.ts';
import type { GraphqlContext } from '../context.ts';
import type { KeyWatch } from '../../live/key-watch.ts';
import { createSubjects } from '../../live/subjects.ts';
import { useSharedResults } from '../../live/use-shared-results.ts';
import type { StoredDocuments } from './stored-documents.ts';
import { useAccept } from './use-accept.ts';
import { useCaller, type RequestState } from './use-caller.ts';
import { useDocumentLimits } from './use-document-limits.ts';
import { useErrors } from './use-errors.ts';
import { graphqlPath, useRouter, type Respond, type Routes } from './use-router.ts';
import { useStalledStreams } from './use-stalled-streams.ts';
import { useStoredDocuments } from './use-stored-documents.ts';

export type Front = YogaServerInstance<RequestState, GraphqlContext>;

export interface FrontOptions {
  keyWatch: KeyWatch;
  documents: StoredDocuments;
  routes: Routes;
  otherwise: Respond;
}

const exampleQuery = `# In the tab Headers: { "Authorization": "Bearer <your API key>" }
{
  posts(first: 5) {
    nodes { id status results { platform status url } }
  }
}
`;

export function createFront(app: Context, options: FrontOptions): Front {
  const { keyWatch, documents, routes, otherwise } = options;
  const graphiql = createGraphiql();
  const shared = { app, keyWatch, subjects: createSubjects(app) };
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
      useRouter(app, routes, otherwise),
      useCaller(app),
      graphiql.plugin,
      useStoredDocuments(documents),
      useDocumentLimits(app.config),
      useErrors(app),
      useAccept(),
      useSharedResults(),
      useStalledStreams(app.config.stalledMs),
    ],
    extraParamNames: ['documentId'],
    graphqlEndpoint: graphqlPath,
    healthCheckEndpoint: `${graphqlPath}/health`,
    landingPage: false,
    graphiql: app.config.hasGraphiql && {
      title: 'Fanfare',
      // Its socket would come without the headers that a user gives.
      subscriptionsProtocol: 'SSE',
      defaultQuery: exampleQuery,
    },
    renderGraphiQL: graphiql.render,
    // A document of the greatest size takes up to a megabyte once it is read.
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: 200 }),
      errorCache: createLRUCache({ max: 20 }),
    },
    batching: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: app.config.maxBodyBytes,
    // Our own plugin does it, since it knows the request that an error belongs to.
    maskedErrors: false,
    logging: {
      debug() {},
      info() {},
      warn: (...message: unknown[]) => app.log.warn({ message }, 'graphql'),
      error: (...message: unknown[]) => app.log.error({ message }, 'graphql'),
    },
  });
}
