// The events, as they are recorded.
import { graphql } from '../api/schema.ts';
import type { Followed } from '../api/streams.ts';

const EventRow = graphql(`
  fragment EventRow on Event {
    id
    event
    timestamp
    test
    postId
    socialAccountId
  }
`);

export const EventList = graphql(
  `
    query EventList {
      events(first: 15) {
        nodes {
          ...EventRow
        }
      }
    }
  `,
  [EventRow],
);

const EventChanges = graphql(
  `
    subscription EventChanges($after: String) {
      eventRecorded(after: $after) {
        cursor
        change
        eventId
        event {
          ...EventRow
        }
      }
    }
  `,
  [EventRow],
);
export const followEvents: readonly Followed[] = [{ document: EventChanges }];
