// Reads the limits of this installation.
import { getProjectRow } from '../../schema/database/projects.ts';
import { imageLimits } from '../../schema/media.ts';
import { fixedLimits, monthlyLimitOf, type Limits } from '../../schema/wire/limits.ts';
import { maxPageSize } from '../../schema/wire/listing.ts';
import type { Caller, Context } from '../http/context.ts';
import { maxJsonValues } from '../http/body.ts';

export async function getLimits({ config, db }: Context, { projectId }: Caller): Promise<Limits> {
  const project = await getProjectRow(db, projectId);
  return {
    requests_per_minute: config.rateLimitPerMinute === 0 ? null : config.rateLimitPerMinute,
    body_bytes: config.maxBodyBytes,
    bulk_body_bytes: config.maxBodyBytes * fixedLimits.bulkBodyTimes,
    body_values: maxJsonValues,
    media_bytes: config.media.maxBytes,
    media_bytes_per_project: config.media.projectMaxBytes,
    image_bytes: imageLimits.maxBytes,
    image_pixels: imageLimits.pixels,
    animation_pixels: imageLimits.animatedPixels,
    targets_per_post: config.maxTargets,
    posts_per_bulk: fixedLimits.bulkPosts,
    webhooks_per_project: config.maxWebhooks,
    streams_per_project: config.maxStreamsPerProject,
    schedule_ahead_min_seconds: config.minScheduleAheadS,
    schedule_ahead_max_days: fixedLimits.scheduleAheadDays,
    caption_characters: fixedLimits.captionCharacters,
    labels_per_post: fixedLimits.labelsPerPost,
    label_characters: fixedLimits.labelCharacters,
    page_size: maxPageSize,
    idempotency_hours: fixedLimits.idempotencyHours,
    webhook_timeout_ms: config.deliveryTimeoutMs,
    webhook_retry_delays_ms: [...config.deliveryDelaysMs],
    posts_per_account_and_month: monthlyLimitOf(config, project.monthly_posts_per_account),
    account_warning_percent: fixedLimits.accountWarningPercent,
  };
}
