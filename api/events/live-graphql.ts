// The live stream of recorded events, in GraphQL.
import { validationError } from '../../schema/wire/errors.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { messageOf, resumeArguments } from '../live/message-graphql.ts';
import { openUpdates } from '../live/open-updates.ts';
import { showUpdate } from '../live/updates.ts';
import { EventKindRef, EventRef } from './graphql.ts';
import { getEvent } from './operations.ts';

const EventUpdate = messageOf('EventUpdate', {
  field: 'event',
  type: EventRef,
  gone: 'it is no longer kept',
});

builder.subscriptionField('eventRecorded', (t) =>
  t.field({
    type: EventUpdate,
    nullable: true,
    description: "The project's events as they are recorded, whether or not a webhook takes them.",
    complexity: operationCost,
    args: {
      kinds: t.arg({ type: [EventKindRef], description: 'Only these. Default: all.' }),
      test: t.arg.boolean({ description: '`true`: the test events instead of the real ones.' }),
      ...resumeArguments,
    },
    subscribe: (_, { kinds, test, after }, graphql) => {
      if (kinds?.length === 0) throw noKinds();
      return openUpdates(graphql, {
        scope: 'webhooks:read',
        subject: 'event',
        id: null,
        after,
        get: getEvent,
        read: graphql.subjects.event,
        isWanted: (event) =>
          event.test === (test ?? false) && (!kinds || kinds.includes(event.event)),
      });
    },
    resolve: showUpdate,
  }),
);

function noKinds() {
  return validationError([
    { path: 'kinds', code: 'too_small', message: 'must name at least one kind' },
  ]);
}
