// What leads to replays from other resources, in GraphQL.
import { listQuery } from '../../schema/wire/listing.ts';
import { toIdCursor } from '../graphql/connections.ts';
import { linkPages } from '../graphql/links.ts';
import { WebhookRef } from '../webhooks/graphql.ts';
import { ReplayConnection } from './graphql.ts';
import { listReplaysOf } from './operations.ts';

linkPages(WebhookRef, 'replays', {
  type: ReplayConnection,
  description: 'Its replays, newest first.',
  scope: 'webhooks:read',
  schema: listQuery({}),
  listMany: listReplaysOf,
  toNodeCursor: toIdCursor,
});
