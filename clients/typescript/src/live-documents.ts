// The GraphQL documents of live streams. A server that allows only stored documents allows these too.

const result = `id socialAccountId platform accountName status externalId url errorCode errorMessage errorHint isRetriable nextAction waitingFor nextAttemptAt`;

export const postUpdated = `subscription ($id: ID, $after: String) {
  postUpdated(id: $id, after: $after) {
    cursor change postId resultId
    post {
      id revision caption status createdAt updatedAt scheduledAt publishedAt labels
      results { ${result} }
    }
  }
}`;

export const liveCursor = '{ liveCursor }';
