// The REST routes of media. `uploads.ts` receives the bytes.
import { CreateMedia, ListMedia, Media, UploadableMedia } from '../../schema/media.ts';
import { del, get, list, one, post, removed, written } from '../http/route.ts';
import {
  createMedia,
  deleteMedia,
  getMedia,
  listMedia,
  renewMediaUploadUrl,
} from './operations.ts';

export const mediaRoutes = [
  post('/v1/media', {
    name: 'createMedia',
    summary: 'Create media for an upload',
    description:
      'Then `PUT` the bytes to `upload_url`: the bytes themselves, not a form, and without an API key. The URL works for 24 hours, and is shown only in this response. `POST /v1/media/:id/upload-url` gives a new one.',
    scope: 'posts:draft',
    body: CreateMedia,
    location: ({ data }) => `/v1/media/${data.id}`,
    answer: written(201, UploadableMedia),
    run: ({ context, caller, body }) => createMedia(context, caller, body),
  }),

  get('/v1/media', {
    name: 'listMediaFiles',
    summary: 'List media',
    description: 'Newest first, with deleted media.',
    scope: 'posts:read',
    query: ListMedia,
    answer: list(Media),
    run: ({ context, caller, query }) => listMedia(context, caller, query),
  }),

  get('/v1/media/:id', {
    name: 'getMedia',
    summary: 'Get media',
    scope: 'posts:read',
    answer: one(Media),
    run: ({ context, caller, params }) => getMedia(context, caller, params.id),
  }),

  post('/v1/media/:id/upload-url', {
    name: 'renewMediaUploadUrl',
    summary: 'Renew the upload URL of media',
    description: 'The old URL stops working. The bytes received so far are kept.',
    scope: 'posts:write',
    answer: written(200, UploadableMedia),
    run: ({ context, caller, params }) => renewMediaUploadUrl(context, caller, params.id),
  }),

  del('/v1/media/:id', {
    name: 'deleteMedia',
    summary: 'Delete media',
    description:
      'Removes the bytes. Media of a draft, or of a post that is scheduled or being published, cannot be deleted.',
    scope: 'posts:write',
    answer: removed,
    run: ({ context, caller, params }) => deleteMedia(context, caller, params.id),
  }),
];
