// The GraphQL schema: every resource adds its own types, queries, mutations and subscriptions.
import type { GraphQLSchema } from 'graphql';
import '../accounts/graphql.ts';
import '../accounts/links-graphql.ts';
import '../accounts/live-graphql.ts';
import '../api-keys/graphql.ts';
import { builder } from './builder.ts';
import { describeSchema } from './descriptions.ts';
import '../connect/graphql.ts';
import '../deliveries/graphql.ts';
import '../deliveries/links-graphql.ts';
import '../deliveries/live-graphql.ts';
import '../events/graphql.ts';
import '../events/links-graphql.ts';
import '../events/live-graphql.ts';
import '../limits/graphql.ts';
import '../live/graphql.ts';
import './node-query.ts';
import '../platforms/graphql.ts';
import '../posts/graphql/attempts.ts';
import '../posts/graphql/bulk.ts';
import '../posts/graphql/changing.ts';
import '../posts/graphql/creating.ts';
import '../posts/graphql/posts.ts';
import '../posts/graphql/links.ts';
import '../posts/graphql/live.ts';
import '../posts/graphql/validating.ts';
import '../projects/graphql.ts';
import '../replays/graphql.ts';
import '../replays/links-graphql.ts';
import '../replays/live-graphql.ts';
import '../webhooks/graphql.ts';
import '../webhooks/links-graphql.ts';
import '../webhooks/live-graphql.ts';
import '../webhooks/test-webhook-graphql.ts';

/** Without a context: fields get theirs with each request. */
export function createSchema(): GraphQLSchema {
  return describeSchema(builder.toSchema());
}
