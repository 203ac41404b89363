// Media, in GraphQL.
import { CreateMedia, ListMedia, MediaKind, MediaStatus, type Media } from '../../schema/media.ts';
import { builder } from '../graphql/builder.ts';
import { connectionOf } from '../graphql/connections.ts';
import { deleted, mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { queryOne, queryPages } from '../graphql/queries.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { subscriptionOf } from '../graphql/subscriptions.ts';
import {
  createMedia,
  deleteMedia,
  findMediaFiles,
  getMedia,
  listMedia,
  renewMediaUploadUrl,
} from './operations.ts';

const MediaStatusRef = wordEnum(MediaStatus);
const MediaKindRef = wordEnum(MediaKind);

export const MediaRef = builder.objectRef<Media>('Media');
export const mediaNodes = nodesOf('posts:read', findMediaFiles);

builder.node(MediaRef, {
  ...mediaNodes.options,
  fields: (t) => ({
    status: t.expose('status', { type: MediaStatusRef }),
    filename: t.exposeString('filename', { nullable: true }),
    url: t.exposeString('url', { nullable: true }),
    uploadUrl: t.exposeString('upload_url', { nullable: true }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', nullable: true }),
    receivedBytes: t.exposeInt('received_bytes'),
    kind: t.expose('kind', { type: MediaKindRef, nullable: true }),
    contentType: t.exposeString('content_type', { nullable: true }),
    sizeBytes: t.exposeInt('size_bytes', { nullable: true }),
    width: t.exposeInt('width', { nullable: true }),
    height: t.exposeInt('height', { nullable: true }),
    durationMs: t.exposeInt('duration_ms', { nullable: true }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
  }),
});

const MediaConnection = connectionOf('MediaConnection', MediaRef);

const CreateMediaInput = builder.inputType('CreateMediaInput', {
  fields: (t) => ({
    filename: t.string({ required: true }),
    contentType: t.string({ required: true }),
    sizeBytes: t.int(),
    contentHash: t.string(),
  }),
});

queryOne('media', {
  type: MediaRef,
  scope: 'posts:read',
  resource: 'media',
  get: getMedia,
});

queryPages('mediaFiles', {
  type: MediaConnection,
  scope: 'posts:read',
  schema: ListMedia,
  filters: builder.args((t) => ({ status: t.field({ type: MediaStatusRef }) })),
  list: listMedia,
});

mutationOf('createMedia', {
  type: MediaRef,
  scope: 'posts:draft',
  input: CreateMediaInput,
  schema: CreateMedia,
  takesKey: true,
  run: createMedia,
});

mutationOf('renewMediaUploadUrl', {
  type: MediaRef,
  scope: 'posts:write',
  resource: 'media',
  takesKey: true,
  run: (context, caller, _, { id }) => renewMediaUploadUrl(context, caller, id),
});

mutationOf('deleteMedia', {
  type: 'ID',
  scope: 'posts:write',
  resource: 'media',
  run: (context, caller, _, { id }) => deleted(deleteMedia(context, caller, id), id),
});

subscriptionOf('mediaUpdated', {
  description:
    "Changes of the project's media, or of one. With `id` and without `after`, the first message is the current state.",
  subject: 'media',
  type: MediaRef,
  scope: 'posts:read',
  get: getMedia,
  find: findMediaFiles,
});
