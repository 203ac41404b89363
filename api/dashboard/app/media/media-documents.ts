// What the page about media reads, follows and does.
import { graphql, type ResultOf } from '../api/schema.ts';
import type { Followed } from '../api/streams.ts';

const MediaRow = graphql(`
  fragment MediaRow on Media {
    id
    status
    filename
    url
    kind
    contentType
    sizeBytes
    receivedBytes
    width
    height
    durationMs
    expiresAt
    errorMessage
    createdAt
  }
`);
export type MediaData = ResultOf<typeof MediaRow>;

export const MediaList = graphql(
  `
    query MediaList($after: String, $status: MediaStatus) {
      mediaFiles(first: 25, after: $after, status: $status) {
        nodes {
          ...MediaRow
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [MediaRow],
);

/** Those that a post can use. */
export const RecentMedia = graphql(
  `
    query RecentMedia {
      uploaded: mediaFiles(first: 25, status: UPLOADED) {
        nodes {
          ...MediaRow
        }
      }
      attached: mediaFiles(first: 25, status: ATTACHED) {
        nodes {
          ...MediaRow
        }
      }
    }
  `,
  [MediaRow],
);

const MediaChanges = graphql(
  `
    subscription MediaChanges($after: String) {
      mediaUpdated(after: $after) {
        cursor
        change
        mediaId
        media {
          ...MediaRow
        }
      }
    }
  `,
  [MediaRow],
);
export const followMedia: readonly Followed[] = [{ document: MediaChanges }];

export const CreateMedia = graphql(`
  mutation CreateMedia($input: CreateMediaInput!) {
    createMedia(input: $input) {
      id
      uploadUrl
    }
  }
`);

export const RenewUpload = graphql(`
  mutation RenewUpload($id: ID!) {
    renewMediaUploadUrl(id: $id) {
      id
      uploadUrl
    }
  }
`);

export const DeleteMedia = graphql(`
  mutation DeleteMedia($id: ID!) {
    deleteMedia(id: $id)
  }
`);
