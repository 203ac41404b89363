// Media: images, videos and documents of posts, as the wire shows them.
import { z } from 'zod';
import { describedEnum } from './wire/described-enum.ts';
import { listQuery } from './wire/listing.ts';
import { Bytes, CreatedAt, Id } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

export const MediaStatus = describedEnum('MediaStatus', 'Media status.', {
  pending: 'Waiting for the bytes: for your upload, or until Fanfare has fetched the URL.',
  uploaded: 'Received, checked and usable.',
  attached: 'Used by a post, now or earlier.',
  failed: 'Not usable. `error_code` gives the reason.',
  deleted: 'Deleted by you, or because no recent post uses the media.',
});
export type MediaStatus = z.infer<typeof MediaStatus>;

export const MediaKind = describedEnum('MediaKind', 'Kind of the media.', {
  image: 'Image.',
  video: 'Video.',
  document: 'PDF document.',
});
export type MediaKind = z.infer<typeof MediaKind>;

/** Limits of images. The limits of memory and time are those of the decoding process. */
export const imageLimits = {
  maxBytes: 67_108_864,
  /** Maximum of pixels in one frame. */
  pixels: {
    jpeg: 50_000_000,
    png: 24_000_000,
    webp: 24_000_000,
    avif: 12_000_000,
    gif: 50_000_000,
  },
  /** Maximum of pixels in all frames together. */
  animatedPixels: 500_000_000,
  /** Chunks, segments, blocks or boxes of a file. */
  parts: 100_000,
  /** Everything in a file but the coded pixels. A decoder copies these bytes. */
  metadataBytes: 16_000_000,
  /** Scans of a JPEG. Each scan is a pass over all pixels. */
  scans: 100,
  /** Memory that a progressive or interlaced image takes in a decoder. */
  heldBytes: 160_000_000,
  /** Memory for decoding pictures, and for decoding animations at the same time. */
  pictureMemoryBytes: 240_000_000,
  animationMemoryBytes: 60_000_000,
  /** CPU time of one turn to read or fit a picture. Other projects wait for the end of the turn. */
  pictureCpuMs: 4_500,
  /** CPU time of all encodings that fit an image to a network. */
  fitCpuMs: 15_000,
  /** After this CPU time in a turn, a fit needs another turn for its next encoding. */
  turnCpuMs: 1_000,
} as const;

/** Every `error_code` of failed media, with its message. */
export const mediaErrors = {
  media_unreachable: 'The URL could not be fetched.',
  media_invalid:
    'The bytes are not an image, a video or a document that Fanfare can read, or not of the declared kind.',
  media_too_large: 'The file is too large.',
  media_hash_mismatch: 'The bytes do not have the SHA-256 that `content_hash` declares.',
} as const;
export type MediaErrorCode = keyof typeof mediaErrors;

export const Media = z
  .object({
    id: Id,
    status: MediaStatus,
    filename: z.string().nullable().meta({
      description: 'Name of the file. Null if none was given.',
    }),
    url: z.string().nullable().meta({
      description: 'URL that Fanfare fetches the bytes from. Null if you upload them.',
    }),
    upload_url: z.string().nullable().meta({
      description:
        'URL to `PUT` the bytes to. Only the responses that create the media or renew the URL show it. Null otherwise.',
    }),
    expires_at: Timestamp.nullable().meta({
      description: 'Time when the upload URL expires. Null if no upload is expected.',
    }),
    received_bytes: Bytes.meta({
      description: 'Number of bytes received so far. An upload resumes from here.',
    }),
    kind: z.union([MediaKind, z.null()]).meta({
      description: 'Kind, as read from the bytes. Null until they are complete.',
    }),
    content_type: z.string().nullable().meta({
      description:
        'Media type, as read from the bytes. Until they are complete, the one that you declared. Null if unknown.',
    }),
    size_bytes: Bytes.nullable().meta({
      description:
        'Size in bytes. Until the bytes are complete, the one that you declared. Null if unknown.',
    }),
    width: z.int().nullable().meta({
      description: 'Width in pixels. Null for a document, and if unknown.',
    }),
    height: z.int().nullable().meta({
      description: 'Height in pixels. Null for a document, and if unknown.',
    }),
    duration_ms: z.int().nullable().meta({
      description: 'Duration of a video, in milliseconds. Null for other media, and if unknown.',
    }),
    error_code: z.string().nullable().meta({
      description:
        'Stable code of the failure: `media_unreachable`, `media_invalid`, `media_too_large` or `media_hash_mismatch`. Null if there was none.',
    }),
    error_message: z.string().nullable().meta({
      description:
        'Description of the failure. While the media are `pending`: why the last fetch of `url` failed, which Fanfare repeats. Null if there was none.',
    }),
    created_at: CreatedAt,
  })
  .meta({ id: 'Media', description: 'An image, a video or a document for posts.' });
export type Media = z.infer<typeof Media>;

export const UploadableMedia = Media.extend({
  upload_url: z.string().meta({
    description: 'URL to `PUT` the bytes to. Only this response shows it.',
  }),
  expires_at: Timestamp.meta({ description: 'Time when the upload URL expires.' }),
}).meta({ id: 'UploadableMedia', description: 'Media that wait for their bytes.' });
export type UploadableMedia = z.infer<typeof UploadableMedia>;

export const CreateMedia = z
  .strictObject({
    filename: z.string().min(1).max(255).meta({ description: 'Name of the file.' }),
    content_type: z
      .string()
      .regex(
        /^((image|video)[/][\w.+-]{1,100}|application[/]pdf)$/,
        'must be an image or video type, such as image/jpeg, or application/pdf',
      )
      // The pattern doesn't exclude SVG, because some clients' regular expressions have no lookahead.
      .refine(
        (type) => !/^image[/]svg/i.test(type),
        'must not be SVG; convert it to PNG, JPEG, WebP, GIF or AVIF',
      )
      .meta({ description: 'Media type of the bytes. Bytes of another kind are refused.' }),
    size_bytes: z.int().min(1).max(2_147_483_647).optional().meta({
      description: 'Size in bytes. An upload of another size is refused.',
    }),
    content_hash: z
      .string()
      .regex(/^(sha256[:=])?[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
      .optional()
      .meta({ description: 'SHA-256 of the bytes in hex. Other bytes are refused.' }),
  })
  .meta({ id: 'CreateMedia', description: 'A file to upload.' });
export type CreateMedia = z.infer<typeof CreateMedia>;

export const ListMedia = listQuery({
  status: MediaStatus.optional().meta({ description: 'Only media with this status.' }),
});
export type ListMedia = z.infer<typeof ListMedia>;
