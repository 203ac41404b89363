// The live stream of recorded events, in GraphQL.
import { validationError } from '../../schema/wire/errors.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { messageOf, resumeArguments } from '../live/message-graphql.ts';
import { openUpdates } from '../live/open-updates.ts';
import { showUpdate } from '../live/updates.ts';
import { EventTypeRef, EventRef } from './graphql.ts';
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
      types: t.arg({ type: [EventTypeRef], description: 'Only these. Default: all.' }),
      test: t.arg.boolean({ description: '`true`: the test events instead of the real ones.' }),
      ...resumeArguments,
    },
    subscribe: (_, { types, test, after }, graphql) => {
      if (types?.length === 0) throw noTypes();
      return openUpdates(graphql, {
        scope: 'webhooks:read',
        subject: 'event',
        id: null,
        after,
        get: getEvent,
        read: graphql.subjects.event,
        isWanted: (event) =>
          event.test === (test ?? false) && (!types || types.includes(event.event)),
      });
    },
    resolve: showUpdate,
  }),
);

function noTypes() {
  return validationError([
    { path: 'types', code: 'too_small', message: 'must name at least one type' },
  ]);
}
