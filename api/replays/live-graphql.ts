// The live stream of replays, in GraphQL: how far each has come.
import { builder, operationCost } from '../graphql/builder.ts';
import { messageOf, resumeArguments } from '../live/message-graphql.ts';
import { openUpdates } from '../live/open-updates.ts';
import { showUpdate } from '../live/updates.ts';
import { getWebhook } from '../webhooks/operations.ts';
import { ReplayRef } from './graphql.ts';
import { findRunning, getReplay } from './operations.ts';

const ReplayUpdate = messageOf('ReplayUpdate', {
  field: 'replay',
  type: ReplayRef,
  gone: 'it is no longer kept',
});

builder.subscriptionField('replayProgress', (t) =>
  t.field({
    type: ReplayUpdate,
    nullable: true,
    description: `How far the project's replays come, or those of one webhook, or one replay.
Without \`after\` the first message is the present state: with an id of that replay, with a webhook
of the one that runs on it, if one does.`,
    complexity: operationCost,
    args: {
      id: t.arg.id({ description: 'Only this replay.' }),
      webhookId: t.arg.id({ description: 'Only replays of this webhook.' }),
      ...resumeArguments,
    },
    subscribe: (_, { id, webhookId, after }, graphql) =>
      openUpdates(graphql, {
        scope: 'webhooks:read',
        subject: 'replay',
        id,
        after,
        get: (context, caller, replayId) => getReplay(context, caller, replayId),
        read: graphql.subjects.replay,
        within: [{ scope: 'webhooks:read', subject: 'webhook', id: webhookId, get: getWebhook }],
        ...(typeof webhookId === 'string'
          ? {
              findPresent: (context, caller) => findRunning(context, caller, webhookId),
              isWanted: (replay) => replay.webhook_id === webhookId,
            }
          : {}),
      }),
    resolve: showUpdate,
  }),
);
