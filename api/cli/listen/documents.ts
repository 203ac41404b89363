// What `listen` asks of a server, which answers it also where it answers stored documents only.

export const liveCursor = '{ liveCursor }';

export const eventRecorded = `subscription ($types: [EventType!], $test: Boolean, $after: String) {
  eventRecorded(types: $types, test: $test, after: $after) {
    cursor
    event { id body postId socialAccountId }
  }
}`;
