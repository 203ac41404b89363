// The numbers of this installation that a client may run into, as the wire shows them.
import { z } from 'zod';

/** Those that no installation changes. */
export const fixedLimits = {
  captionCharacters: 100_000,
  firstCommentCharacters: 1_000,
  externalIdCharacters: 1_024,
  bulkPosts: 50,
  scheduleAheadDays: 366,
  idempotencyHours: 24,
  /** From the contract: the share of the monthly limit at which an account is warned. */
  accountWarningPercent: 80,
} as const;

export const Limits = z
  .object({
    requests_per_minute: z.int().nullable().meta({ description: 'Per project. Null: no limit.' }),
    body_bytes: z.int(),
    targets_per_post: z.int(),
    posts_per_bulk: z.int(),
    webhooks_per_project: z.int(),
    streams_per_project: z.int().meta({
      description: 'Live streams that may be open at once, on one server.',
    }),
    schedule_ahead_min_seconds: z.int(),
    schedule_ahead_max_days: z.int(),
    caption_characters: z.int(),
    page_size: z.int(),
    idempotency_hours: z.int(),
    webhook_timeout_ms: z.int(),
    webhook_retry_delays_ms: z.array(z.int()),
    posts_per_account_and_month: z.int().nullable().meta({
      description:
        "Published targets, by the project's own limit or the installation's. Null: no limit.",
    }),
    account_warning_percent: z.int(),
  })
  .meta({ id: 'Limits' });
export type Limits = z.infer<typeof Limits>;

/** What a project's accounts may publish in a month; null: as much as they like. */
export function monthlyLimitOf(
  { monthlyPostsPerAccount }: { monthlyPostsPerAccount: number },
  ofProject: number | null,
): number | null {
  return (ofProject ?? monthlyPostsPerAccount) || null;
}

/** The count at which an account is warned. */
export function warningAt(limit: number): number {
  return Math.ceil((limit * fixedLimits.accountWarningPercent) / 100);
}
