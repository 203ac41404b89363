// A reference to an uploaded file, as a server wrote it.
import { z } from 'zod';

/** @see https://atproto.com/specs/blob */
export const Blob = z.object({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string().min(1) }),
  mimeType: z.string(),
  size: z.int(),
});
export type Blob = z.infer<typeof Blob>;
