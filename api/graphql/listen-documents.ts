// The documents of the command `listen`. A server that allows only stored documents allows these too.

export const liveCursor = '{ liveCursor }';

export const eventRecorded = `subscription ($types: [EventType!], $test: Boolean, $after: String) {
  eventRecorded(types: $types, test: $test, after: $after) {
    cursor
    event { id body postId socialAccountId }
  }
}`;
