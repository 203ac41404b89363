// Facts about an error, beside its code and message.
import { z } from 'zod';
import { Bytes } from './shared-fields.ts';

export const ErrorDetails = z
  .object({
    required_scope: z.string().meta({ description: 'Scope that the API key lacks.' }),
    limit: z.number().meta({ format: 'double', description: 'Limit that the request exceeds.' }),
    actual: z.number().meta({ format: 'double', description: 'What the request has.' }),
    post_status: z
      .string()
      .meta({ description: 'Status of the post, which conflicts with the request.' }),
    post_id: z.string().meta({ description: 'ID of the post that uses the media.' }),
    media_status: z.string().meta({ description: 'Status of the media.' }),
    replay_id: z.string().meta({ description: 'ID of the replay that is running.' }),
    received_bytes: Bytes.meta({ description: 'Number of bytes of the upload received so far.' }),
    position: z.int().meta({ description: 'Position where the JSON breaks, from 0.' }),
    line: z.int().meta({ description: 'Line where the JSON breaks, from 1.' }),
    column: z.int().meta({ description: 'Column where the JSON breaks, from 1.' }),
    cursor: z.string().meta({ description: 'Cursor to resume the live stream from.' }),
    oldest_cursor: z
      .string()
      .meta({ description: 'Oldest cursor that a live stream can resume from.' }),
  })
  .partial();
export type ErrorDetails = z.infer<typeof ErrorDetails>;
