// The limits of this installation, in GraphQL.
import type { Limits } from '../../schema/wire/limits.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { read } from '../graphql/operation.ts';
import { getLimits } from './operations.ts';

const ImagePixelsRef = builder.objectRef<Limits['image_pixels']>('ImagePixels').implement({
  fields: (t) => ({
    jpeg: t.exposeInt('jpeg'),
    png: t.exposeInt('png'),
    webp: t.exposeInt('webp'),
    avif: t.exposeInt('avif'),
    gif: t.exposeInt('gif'),
  }),
});

const LimitsRef = builder.objectRef<Limits>('Limits').implement({
  fields: (t) => ({
    requestsPerMinute: t.exposeInt('requests_per_minute', { nullable: true }),
    bodyBytes: t.exposeInt('body_bytes'),
    bulkBodyBytes: t.exposeInt('bulk_body_bytes'),
    bodyValues: t.exposeInt('body_values'),
    mediaBytes: t.exposeInt('media_bytes'),
    // Beyond 32 bits.
    mediaBytesPerProject: t.exposeFloat('media_bytes_per_project'),
    imageBytes: t.exposeInt('image_bytes'),
    imagePixels: t.expose('image_pixels', { type: ImagePixelsRef }),
    animationPixels: t.exposeInt('animation_pixels'),
    targetsPerPost: t.exposeInt('targets_per_post'),
    postsPerBulk: t.exposeInt('posts_per_bulk'),
    webhooksPerProject: t.exposeInt('webhooks_per_project'),
    streamsPerProject: t.exposeInt('streams_per_project'),
    scheduleAheadMinSeconds: t.exposeInt('schedule_ahead_min_seconds'),
    scheduleAheadMaxDays: t.exposeInt('schedule_ahead_max_days'),
    captionCharacters: t.exposeInt('caption_characters'),
    labelsPerPost: t.exposeInt('labels_per_post'),
    labelCharacters: t.exposeInt('label_characters'),
    pageSize: t.exposeInt('page_size'),
    idempotencyHours: t.exposeInt('idempotency_hours'),
    webhookTimeoutMs: t.exposeInt('webhook_timeout_ms'),
    webhookRetryDelaysMs: t.exposeIntList('webhook_retry_delays_ms'),
    postsPerAccountAndMonth: t.exposeInt('posts_per_account_and_month', { nullable: true }),
    accountWarningPercent: t.exposeInt('account_warning_percent'),
  }),
});

builder.queryField('limits', (t) =>
  t.field({
    type: LimitsRef,
    nullable: true,
    complexity: operationCost,
    resolve: (_, _args, graphql) => read(graphql, undefined, getLimits),
  }),
);
