// The GraphQL schema: every resource adds its own types, queries, mutations and subscriptions.
import type { GraphQLSchema } from 'graphql';
import '../account-checks/graphql.ts';
import '../accounts/choices-graphql.ts';
import '../accounts/graphql.ts';
import '../api-keys/graphql.ts';
import { builder } from '../graphql/builder.ts';
import { describeSchema } from '../graphql/descriptions.ts';
import '../connect/graphql.ts';
import '../deliveries/graphql.ts';
import '../events/graphql.ts';
import '../labels/graphql.ts';
import '../limits/graphql.ts';
import '../graphql/node-query.ts';
import '../media/graphql.ts';
import { limitResponses } from '../graphql/response-limit.ts';
import '../platform-apps/graphql.ts';
import '../platforms/graphql.ts';
import '../posts/graphql/bulk.ts';
import '../posts/graphql/list.ts';
import '../posts/graphql/posts.ts';
import '../posts/graphql/writing.ts';
import '../projects/graphql.ts';
import '../queues/graphql.ts';
import '../replays/graphql.ts';
import '../share/graphql.ts';
import '../users/graphql.ts';
import '../webhooks/graphql.ts';
import { routes } from './routes.ts';

/** The schema has no context of its own. Fields get a context with each request. */
export function createSchema(): GraphQLSchema {
  return limitResponses(describeSchema(builder.toSchema(), routes));
}
