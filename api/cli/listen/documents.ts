// What `listen` asks of a server, which answers it also where it answers stored documents only.

export const liveCursor = '{ liveCursor }';

export const eventRecorded = `subscription ($kinds: [EventKind!], $test: Boolean, $after: String) {
  eventRecorded(kinds: $kinds, test: $test, after: $after) {
    cursor
    event { id body postId socialAccountId }
  }
}`;
