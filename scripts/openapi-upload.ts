// The route that receives the bytes of media, in the OpenAPI document. It takes no JSON and no API key.
import { z } from 'zod';
import { Media } from '../schema/media.ts';
import { describeErrors, failed, json, refer, RequestId } from './openapi-responses.ts';

const answer = json(z.object({ data: Media, request_id: RequestId }));

export const uploadPath = {
  method: 'put',
  path: '/uploads/{id}',
  operationId: 'uploadMedia',
  summary: 'Upload the bytes of media',
  description:
    'Send a `PUT` to `upload_url` as it is. The body is the bytes themselves, not a form. Send the whole file, or parts with `Content-Range`. No API key is needed.',
  tags: ['media'],
  security: [],
  request: {
    params: z.object({ id: z.string().meta({ description: 'ID of the media.' }) }),
    query: z.object({ token: z.string().meta({ description: 'Token of the upload URL.' }) }),
    headers: z.object({
      'Content-Range': z.string().optional().meta({
        description:
          '`bytes <first>-<last>/<total>` of a part, a multiple of 262,144 bytes except for the last one. `bytes */<total>` without a body asks where to continue.',
      }),
    }),
    body: {
      required: false,
      description: 'The bytes. Absent only if the request asks where to continue.',
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  responses: {
    200: {
      description: 'Complete. The media are `uploaded`.',
      headers: refer('X-Request-Id'),
      content: answer,
    },
    308: {
      description: 'Incomplete. Continue after the bytes that `Range` names.',
      headers: {
        ...refer('X-Request-Id'),
        Range: {
          description: '`bytes=0-<last>`: the bytes received so far. Absent if there are none.',
          required: false,
          schema: { type: 'string' },
        },
      },
      content: answer,
    },
    400: describeErrors(['malformed_json']),
    403: describeErrors(['upload_url_invalid']),
    404: describeErrors(['not_found']),
    408: describeErrors(['upload_stalled', 'upload_timeout']),
    409: describeErrors(['conflict', 'upload_in_progress'], 'Retry-After'),
    410: describeErrors(['upload_url_expired']),
    413: describeErrors(['payload_too_large']),
    415: describeErrors(['unsupported_media_type']),
    422: describeErrors(['validation_error']),
    507: describeErrors(['media_storage_full']),
    default: failed,
  },
} as const;
