// The REST routes of replays.
import { listQuery } from '../../schema/wire/listing.ts';
import { AcceptedReplay, Replay, ReplayDeliveries } from '../../schema/replays.ts';
import { get, list, one, post, written } from '../http/route.ts';
import { getReplay, listReplays, replayDeliveries } from './operations.ts';

export const replayRoutes = [
  post('/v1/webhooks/:id/replay', {
    name: 'replayDeliveries',
    summary: 'Replay deliveries',
    description:
      'Sends past deliveries again, each with a new retry schedule. Delivery IDs stay the same, and attempt numbers continue. Test events are not sent again. A webhook runs one replay at a time.',
    scope: 'webhooks:write',
    body: ReplayDeliveries,
    location: ({ data }, { id }) => `/v1/webhooks/${id}/replays/${data.replay_id}`,
    answer: written(202, AcceptedReplay),
    run: ({ context, caller, params, body }) => replayDeliveries(context, caller, params.id, body),
  }),

  get('/v1/webhooks/:id/replays', {
    name: 'listReplays',
    summary: 'List the replays of a webhook',
    description: 'Newest first.',
    scope: 'webhooks:read',
    query: listQuery({}),
    answer: list(Replay),
    run: ({ context, caller, params, query }) => listReplays(context, caller, params.id, query),
  }),

  get('/v1/webhooks/:id/replays/:replay_id', {
    name: 'getReplay',
    summary: 'Get a replay',
    scope: 'webhooks:read',
    answer: one(Replay),
    run: ({ context, caller, params }) => getReplay(context, caller, params.replay_id, params.id),
  }),
];
