// The limits of an installation, as the wire shows them.
import { z } from 'zod';
import { Bytes } from './shared-fields.ts';

/** Limits that are the same in every installation. */
export const fixedLimits = {
  captionCharacters: 100_000,
  firstCommentCharacters: 1_000,
  externalIdCharacters: 1_024,
  altTextCharacters: 10_000,
  labelsPerPost: 20,
  labelCharacters: 64,
  bulkPosts: 500,
  /** How many times larger than other bodies the body of a bulk request may be. */
  bulkBodyTimes: 8,
  scheduleAheadDays: 366,
  queueSlots: 336,
  /** A slot that is nearer can't be taken. */
  queueAheadSeconds: 60,
  queuePeriodDays: 62,
  /** How many posts one request moves to other slots. */
  queueMoves: 1_000,
  idempotencyHours: 24,
  /** Share of the monthly limit that triggers the warning. */
  accountWarningPercent: 80,
} as const;

const limit = (description: string, number: z.ZodNumber = z.int()) => number.meta({ description });

export const Limits = z
  .object({
    requests_per_minute: limit(
      'Requests per minute of a project. A bulk request counts once for each post, and a GraphQL document once for each mutation and each `validatePost`. Null if there is no limit.',
    ).nullable(),
    body_bytes: limit('Maximum size of a request body, in bytes.'),
    bulk_body_bytes: limit('Maximum size of the body of a bulk request in REST, in bytes.'),
    body_values: limit('Maximum number of values in a request body, members and items included.'),
    media_bytes: limit('Maximum size of an image, a video or a document, in bytes.', Bytes),
    media_bytes_per_project: limit(
      "Maximum size of all of a project's images, videos and documents, in bytes.",
      Bytes,
    ),
    image_bytes: limit('Maximum size of an image, in bytes.'),
    image_pixels: z
      .object({
        jpeg: limit('JPEG.'),
        png: limit('PNG.'),
        webp: limit('WebP.'),
        avif: limit('AVIF.'),
        gif: limit('GIF.'),
      })
      .meta({ id: 'ImagePixels', description: 'Maximum number of pixels of a frame, by format.' }),
    animation_pixels: limit('Maximum number of pixels of all frames of an animation.'),
    targets_per_post: limit('Maximum number of targets of a post.'),
    posts_per_bulk: limit('Maximum number of posts in one bulk request.'),
    webhooks_per_project: limit('Maximum number of webhooks of a project.'),
    streams_per_project: limit('Maximum number of open live streams of a project on one server.'),
    schedule_ahead_min_seconds: limit('Minimum time from now to `scheduled_at`, in seconds.'),
    schedule_ahead_max_days: limit('Maximum time from now to `scheduled_at`, in days.'),
    caption_characters: limit('Maximum length of a caption on any network, in characters.'),
    labels_per_post: limit('Maximum number of labels of a post.'),
    label_characters: limit('Maximum length of a label, in characters.'),
    page_size: limit('Maximum page size of a list.'),
    idempotency_hours: limit('Time that an idempotency key is kept, in hours.'),
    webhook_timeout_ms: limit('Time that a receiver has to respond, in milliseconds.'),
    webhook_retry_delays_ms: z.array(z.int()).meta({
      description: 'Delays before each retry of a delivery, in milliseconds.',
    }),
    posts_per_account_and_month: limit(
      "Maximum number of targets that an account publishes in a month: the project's limit, or else the installation's. Null if there is no limit.",
    ).nullable(),
    account_warning_percent: limit(
      'Share of the monthly limit that triggers the warning, in percent.',
    ),
  })
  .meta({ id: 'Limits', description: 'Limits of this installation.' });
export type Limits = z.infer<typeof Limits>;

/** How many targets an account can publish in a month. Null: no limit. */
export function monthlyLimitOf(
  { monthlyPostsPerAccount }: { monthlyPostsPerAccount: number },
  ofProject: number | null,
): number | null {
  return (ofProject ?? monthlyPostsPerAccount) || null;
}

/** The count that triggers the warning. */
export function warningAt(limit: number): number {
  return Math.ceil((limit * fixedLimits.accountWarningPercent) / 100);
}
