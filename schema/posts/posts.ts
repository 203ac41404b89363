// Posts and their results, as the wire shows them.
import { z } from 'zod';
import { Actor } from '../wire/actors.ts';
import { fixedLimits } from '../wire/limits.ts';
import { AccountPlatform, GivenPlatform, PlatformName } from '../platforms/index.ts';
import { describedEnum } from '../wire/described-enum.ts';
import {
  AccountName,
  CreatedAt,
  Id,
  JsonObject,
  Measure,
  SocialAccountId,
} from '../wire/shared-fields.ts';
import { QueuePosition } from './queue-position.ts';
import { GivenTime, Timestamp } from '../wire/timestamp.ts';
import { GivenLabels } from './labels.ts';
import { NextAction } from './next-action.ts';
import { ResultChange } from './result-changes.ts';
import { PostSchedule, PostScheduleInput } from './schedule.ts';

export const PostStatus = describedEnum('PostStatus', 'Post status.', {
  draft: 'Not published until you publish or schedule it.',
  scheduled: 'Published at its scheduled time.',
  pending: 'Being published.',
  published: 'Every target was published.',
  partial: 'Some targets were published and some failed.',
  failed: 'Every target failed.',
  canceled: 'Canceled before any target was published.',
});
export type PostStatus = z.infer<typeof PostStatus>;

/** Whether the post stays as it is unless somebody retries or changes it. */
export const hasEnded = (status: PostStatus): boolean =>
  !['draft', 'scheduled', 'pending'].includes(status);

/** The status that a new or changed post can be given. */
export const NewPostStatus = describedEnum(
  'NewPostStatus',
  'Status that you can give a post.',
  { draft: 'Not published until you publish or schedule it.' },
  'must be "draft". Without it, a post with a time is scheduled, and a new post without one is published now.',
);

export const ResultStatus = describedEnum('ResultStatus', 'Target status.', {
  pending: 'Waiting to be published.',
  publishing: 'Being published.',
  published: 'Published on the network. `visibility` says who can see the post.',
  failed: 'Failed. `error_code` gives the reason.',
  canceled: 'Canceled before it was sent.',
  unpublished: 'Was published, and has been removed from the network.',
});
export type ResultStatus = z.infer<typeof ResultStatus>;

export const phases = {
  prepare: 'Steps before the post, which can be repeated safely.',
  commit: 'The one call that makes the post public.',
  confirm: 'Checks whether the network has finished processing the post.',
  reconcile: 'Checks whether the post is public after the response to the commit was lost.',
} as const;
export const Phase = describedEnum('Phase', 'Phase of the target.', phases);
export type Phase = z.infer<typeof Phase>;

export const FailureStage = describedEnum('FailureStage', 'Phase in which the target failed.', {
  validate: 'The content was refused before anything was sent.',
  ...phases,
});
export type FailureStage = z.infer<typeof FailureStage>;

export const waitReasons = {
  rate_limit: 'The network or the operator limits how often the account can post.',
  quota:
    'The account or its app has used up its quota at the network. The call is retried when the network says, or else every 15 minutes, for 48 hours.',
  app_credits:
    'The app of the account has no credits left at the network. The owner of the app must buy more. The call is retried every 15 minutes, for 6 hours.',
  network: 'The network was unreachable or temporarily refused. The call is retried.',
  preparation: 'The network is processing the upload. The post follows.',
  confirmation: 'The network accepted the post and is still processing it.',
  lost_answer: 'The response to the commit was lost. Fanfare checks whether the post is public.',
  pause: 'The operator paused the network or the project.',
  media: 'Fanfare is fetching the media.',
  answered_post: 'The post that this one replies to is not public yet.',
} as const;
export const WaitReason = describedEnum('WaitReason', 'What the target waits for.', waitReasons);
export type WaitReason = z.infer<typeof WaitReason>;

export const ProviderError = JsonObject.nullable().meta({
  description:
    "Network's own response to the failed call, up to 4 KiB. `is_cut` marks a longer one. Null if there is none.",
});

/** The outcome of a target, or of its first comment. */
export const Outcome = z
  .object({
    status: ResultStatus,
    external_id: z.string().nullable().meta({
      description: 'ID on the network. Null until published, and on a network that gives none.',
    }),
    url: z.string().nullable().meta({
      description: 'URL on the network. Null until published, and on a network without such pages.',
    }),
    visibility: z.string().nullable().meta({
      description:
        'Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it.',
    }),
    published_at: Timestamp.nullable().meta({
      description: 'Time of publication. Null until published.',
    }),
    edited_at: Timestamp.nullable().meta({
      description: 'Time of the last edit at the network. Null if there was none.',
    }),
    unpublished_at: Timestamp.nullable().meta({
      description: 'Time when the post was found to be removed from the network. Null until then.',
    }),
    error_code: z.string().nullable().meta({
      description: 'Stable code of the failure. Null if there was no failure.',
    }),
    error_message: z.string().nullable().meta({
      description: 'Description of the failure. Null if there was no failure.',
    }),
    error_hint: z.string().nullable().meta({
      description: 'How to fix the failure. Null if there was no failure.',
    }),
    error_docs_url: z.string().nullable().meta({
      description: 'URL of the documentation of the error code. Null if there was no failure.',
    }),
    failure_stage: FailureStage.nullable().meta({
      description: 'Phase of the failure. Null if there was no failure.',
    }),
    platform_error_code: z.string().nullable().meta({
      description: "Network's own error code. Null if there is none.",
    }),
    provider_error: ProviderError,
    is_retriable: z.boolean().meta({
      description: 'Whether a retry can succeed without another change.',
    }),
    next_action: NextAction,
    attempts: z.int().meta({
      description:
        'Number of commits over all runs. The list of attempts also has the calls of other phases.',
    }),
    waiting_for: WaitReason.nullable().meta({
      description:
        'What the target waits for. Null if the target has ended, a call is in progress, or the post is not due yet.',
    }),
    next_attempt_at: Timestamp.nullable().meta({
      description: 'Time of the next call. Null if none is scheduled.',
    }),
    changes: z.array(ResultChange).meta({
      description: 'The last 20 edits and removals after publication, oldest first.',
    }),
  })
  .meta({ id: 'Outcome', description: 'Outcome of a target, or of its first comment.' });
export type Outcome = z.infer<typeof Outcome>;

export const FirstComment = z
  .object({
    id: z.string().meta({
      description:
        'Unique ID. Use it to list the attempts. To retry the comment, use the ID of the result.',
    }),
    text: z.string().meta({ description: 'Text of the comment.' }),
    ...Outcome.shape,
  })
  .meta({ id: 'FirstComment', description: 'The first comment under the post of a target.' });
export type FirstComment = z.infer<typeof FirstComment>;

export const ResultStep = z
  .object({
    id: z.string().meta({
      description:
        'Unique ID. Use it to list the attempts. To retry the step, use the ID of the result.',
    }),
    name: z.string().meta({ description: 'Name of the step, such as `thumbnail`.' }),
    ...Outcome.shape,
  })
  .meta({ id: 'ResultStep', description: 'A step after the publication of a target.' });
export type ResultStep = z.infer<typeof ResultStep>;

export const PostMedia = z
  .object({
    id: z.string().nullable().meta({
      description: 'ID of the media. Null for a URL of a draft, which is not fetched yet.',
    }),
    url: z.string().nullable().meta({
      description: 'URL that you gave. Null if you uploaded the file.',
    }),
    alt_text: z.string().nullable().meta({
      description: 'Description for people who cannot see the media. Null if there is none.',
    }),
    thumbnail_id: z.string().nullable().meta({
      description: 'ID of the image to show before the video plays. Null if none was given.',
    }),
    thumbnail_at_ms: z.int().nullable().meta({
      description:
        'Position, in milliseconds, of the frame to show before the video plays. Null if none was given.',
    }),
  })
  .meta({ id: 'PostMedia', description: 'An image, a video or a document of a post.' });

export const PostResult = z
  .object({
    id: Id,
    social_account_id: SocialAccountId,
    platform: AccountPlatform,
    account_name: AccountName,
    caption: z.string().meta({ description: 'Text of the post on this target.' }),
    media: z.array(PostMedia).meta({ description: 'Media of the post on this target, in order.' }),
    media_urls: z.array(z.string()).meta({
      description: 'URLs of the media that you gave as URLs, in order.',
    }),
    thread_position: z.int().nullable().meta({
      description: 'Position in the thread of the account. Null if it is not part of a thread.',
    }),
    in_reply_to: z.string().nullable().meta({
      description:
        'ID, on the network, of the post that this one replies to. Null if there is none.',
    }),
    platform_options: JsonObject.meta({
      description:
        "Options of the account's network, as you sent them, with the defaults of the account once the post has left draft. Empty if there are none.",
    }),
    defaulted: z.array(z.string()).meta({
      description:
        'Names of the options that are defaults of the account. Empty for a draft, which gets them when it is scheduled or published.',
    }),
    ...Outcome.shape,
    // Not `nullable()`, which would make the component nullable wherever it is named.
    first_comment: z.union([FirstComment, z.null()]).meta({
      description: 'First comment under the post. Null if there is none.',
    }),
    steps: z.array(ResultStep).meta({
      description:
        'Steps after the publication, such as setting a thumbnail. A failed step leaves the target published.',
    }),
  })
  .meta({ id: 'PostResult', description: 'The result of a post at one target.' });
export type PostResult = z.infer<typeof PostResult>;

export const Post = z
  .object({
    id: Id,
    caption: z.string().meta({ description: 'Text of the post.' }),
    status: PostStatus,
    created_at: CreatedAt,
    updated_at: Timestamp.meta({
      description: 'Time of the last change of the post or of one of its results.',
    }),
    revision: z.int().meta({
      description:
        'Number that grows with each change of the post or of one of its results. Of two answers, the one with the higher number is newer.',
    }),
    scheduled_at: Timestamp.nullable().meta({
      description: 'Time when the post is to be published. Null if none was set.',
    }),
    schedule: z.union([PostSchedule, z.null()]).meta({
      description:
        'The local time that you gave for `scheduled_at`, which follows changes of the zone until a day before. Null if you gave an offset or no time.',
    }),
    publish_by: Timestamp.nullable().meta({
      description:
        'Deadline of the post. Null if none was set. Then `publish_within_s` of the project applies.',
    }),
    queue_id: z.string().nullable().meta({
      description:
        'ID of the queue that gave the post its `scheduled_at`, or that you gave for a draft. Null if there is none. It stays when the queue is deleted.',
    }),
    published_at: Timestamp.nullable().meta({
      description: 'Time when the post was published. Null until then.',
    }),
    media: z.array(PostMedia).meta({ description: 'Media for every target, in order.' }),
    media_urls: z.array(z.string()).meta({
      description: 'URLs of the media that you gave as URLs, in order.',
    }),
    auto_fit: z.boolean().meta({
      description: 'Whether images that a network would refuse are resized or re-encoded for it.',
    }),
    metadata: z.record(z.string(), z.string()).meta({
      description: 'Your own key-value pairs. Events include them.',
    }),
    labels: z.array(z.string()).meta({
      description: 'Your own labels, in the order in which you gave them. Events include them.',
    }),
    created_by: Actor,
    results: z.array(PostResult).meta({
      description: 'One result per target, in the order in which you named them.',
    }),
  })
  .meta({ id: 'Post', description: 'A post to one or more accounts.' });
export type Post = z.infer<typeof Post>;

/** The members of an outcome in an event: all that a receiver needs to act. */
const eventOutcome = {
  status: true,
  external_id: true,
  url: true,
  visibility: true,
  published_at: true,
  edited_at: true,
  unpublished_at: true,
  error_code: true,
  error_message: true,
  error_hint: true,
  failure_stage: true,
  is_retriable: true,
  next_action: true,
} as const;

const PostEventComment = FirstComment.pick({ id: true, text: true, ...eventOutcome }).meta({
  id: 'PostEventComment',
  description: 'The first comment under the post of a target.',
});

const PostEventStep = ResultStep.pick({ id: true, name: true, ...eventOutcome }).meta({
  id: 'PostEventStep',
  description: 'A step after the publication of a target.',
});

export const PostEventResult = PostResult.pick({
  id: true,
  social_account_id: true,
  platform: true,
  account_name: true,
  thread_position: true,
  ...eventOutcome,
})
  .extend({
    first_comment: z.union([PostEventComment, z.null()]).meta({
      description: 'First comment under the post. Null if there is none.',
    }),
    steps: z.array(PostEventStep).meta({
      description: 'Steps after the publication. Empty if there are none.',
    }),
  })
  .meta({ id: 'PostEventResult', description: 'The result of a post at one target.' });

export type PostEventResult = z.infer<typeof PostEventResult>;
export type EventOutcome = Pick<Outcome, keyof typeof eventOutcome>;

export const PostEventData = Post.omit({
  media: true,
  media_urls: true,
  auto_fit: true,
  schedule: true,
  publish_by: true,
  created_by: true,
  queue_id: true,
  results: true,
})
  .extend({
    results: z.array(PostEventResult).meta({ description: 'One result per target.' }),
  })
  .meta({ id: 'PostEventData', description: 'Data of an event about a post.' });
export type PostEventData = z.infer<typeof PostEventData>;

export const PostChangeEventData = PostEventData.extend({
  result_id: z.string().meta({ description: 'ID of the result that has changed.' }),
}).meta({
  id: 'PostChangeEventData',
  description: 'Data of an event about a change to a published target.',
});
export type PostChangeEventData = z.infer<typeof PostChangeEventData>;

export const PostUpdateEventData = PostChangeEventData.extend({
  changed: z.array(z.enum(['external_id', 'url', 'visibility'])).meta({
    description: 'Members of the result that the network has changed.',
  }),
}).meta({
  id: 'PostUpdateEventData',
  description: 'Data of an event about a published target that its network has changed.',
});
export type PostUpdateEventData = z.infer<typeof PostUpdateEventData>;

export const GivenMetadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 20, 'must have at most 20 entries');

const Caption = z.string().max(fixedLimits.captionCharacters);

export const PostMediaInput = z
  .strictObject({
    id: z.string().min(1).nullish().meta({
      description: 'ID of uploaded media. Use this or `url`.',
    }),
    url: z.string().nullish().meta({
      description:
        'Absolute HTTP or HTTPS URL of the file. Fanfare fetches it once, when the post is accepted. Use this or `id`.',
    }),
    alt_text: z.string().min(1).max(fixedLimits.altTextCharacters).nullish().meta({
      description: 'Description of the media for people who cannot see it.',
    }),
    thumbnail_id: z.string().min(1).nullish().meta({
      description: 'ID of an uploaded image to show before the video plays.',
    }),
    thumbnail_at_ms: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .nullish()
      .meta({
        description:
          'Position, in milliseconds, of the frame to show before the video plays. `thumbnail_id` takes precedence.',
      }),
  })
  .meta({ id: 'PostMediaInput', description: 'An image, a video or a document of a post.' });
export type PostMediaInput = z.infer<typeof PostMediaInput>;

/** The media of a post or a target, in one of three forms. */
const mediaForms = {
  media: z.array(PostMediaInput).optional(),
  media_ids: z.array(z.string().min(1)).optional().meta({
    description: 'IDs of uploaded media. Short form of `media`.',
  }),
  media_urls: z.array(z.string()).optional().meta({
    description: 'URLs of media. Short form of `media`.',
  }),
};

export const PlatformPost = z
  .strictObject({
    account_id: z.string().meta({ description: 'ID of the connected account to publish to.' }),
    caption: Caption.optional().meta({
      description: "Text of the post on this target. Default: the post's `caption`.",
    }),
    ...mediaForms,
    media: mediaForms.media.meta({
      description:
        "Media on this target, in order. Default: the post's media. An empty list means no media.",
    }),
    thread_position: z.int().min(0).optional().meta({
      description:
        'Position in a thread. Targets of one account with positions form a thread: each is a reply to the one before. Positions start at 0 or 1 and have no gaps.',
    }),
    first_comment: z.string().min(1).max(fixedLimits.firstCommentCharacters).optional().meta({
      description: 'Text of a reply to the post, published once the post is public.',
    }),
    in_reply_to: z.string().min(1).max(fixedLimits.externalIdCharacters).optional().meta({
      description: 'ID, on the network, of the post to reply to: its `external_id`.',
    }),
    platform: GivenPlatform.optional().meta({
      description: 'Network that `platform_options` is meant for. The account must belong to it.',
    }),
    platform_options: JsonObject.optional().meta({
      description:
        "Options of the account's network. `GET /v1/platforms/capabilities` has their JSON Schema. The account's defaults add those that are missing. An option that is null has no value, and no default either.",
    }),
  })
  .meta({ id: 'PlatformPost', description: 'A target with content of its own.' });
export type PlatformPost = z.infer<typeof PlatformPost>;

/** Rules across fields (one target form, the schedule, the accounts) are checked by `createPost`. */
export const CreatePost = z
  .strictObject({
    caption: Caption.default('').meta({
      description:
        'Text for every target. Override it per target in `platform_posts`. Default: empty.',
    }),
    account_ids: z.array(z.string()).optional().meta({
      description: 'IDs of the connected accounts to publish to. Use this or `platform_posts`.',
    }),
    platform_posts: z.array(PlatformPost).optional().meta({
      description: 'Targets with content of their own. Use this or `account_ids`.',
    }),
    ...mediaForms,
    media: mediaForms.media.meta({
      description:
        'Media for every target, in order. Override them per target in `platform_posts`. Default: none.',
    }),
    auto_fit: z.boolean().optional().meta({
      description:
        'Whether images that a network would refuse are resized or re-encoded for it. Default: true.',
    }),
    scheduled_at: GivenTime.optional().meta({
      description: `Time to publish the post, at most ${fixedLimits.scheduleAheadDays} days from now. The limits have the minimum, \`schedule_ahead_min_seconds\`. Default: now.`,
    }),
    schedule: PostScheduleInput.optional().meta({
      description:
        'Time to publish the post in a time zone, instead of `scheduled_at`. A time that clocks skip or show twice gets the warning `time_adjusted`.',
    }),
    publish_by: GivenTime.optional().meta({
      description:
        'Deadline of the post. A target that could not be sent by then fails with `deadline_passed` and is never sent. Default: `publish_within_s` of the project after the post is due.',
    }),
    queue_id: z.string().optional().meta({
      description:
        "ID of the queue whose slot the post takes. Use this or `scheduled_at`. The targets must be among the queue's accounts. Without targets, the post goes to all of them. A draft takes no slot.",
    }),
    queue_position: QueuePosition.optional().meta({
      description: 'Slot of the queue to take. Default: `next`.',
    }),
    status: NewPostStatus.optional().meta({
      description:
        'Keeps the post as a draft, and its time as a plan. By default, the post is published or scheduled.',
    }),
    metadata: GivenMetadata.default({}).meta({
      description:
        'Your own key-value pairs, at most 20. Keys have up to 64 characters. Values are strings of up to 512. Events include them.',
    }),
    labels: GivenLabels.default(() => []).meta({
      description: `Your own labels, at most ${fixedLimits.labelsPerPost} of up to ${fixedLimits.labelCharacters} characters, such as the name of a campaign. A label that is named twice counts once. Events include them.`,
    }),
    idempotency_key: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({
        description: `Makes a repeat safe: a request with the same key and body within ${fixedLimits.idempotencyHours} hours returns the first response.`,
      }),
  })
  .meta({ id: 'CreatePost', description: 'A post to create.' });
export type CreatePost = z.infer<typeof CreatePost>;

export const IssueSeverity = describedEnum('IssueSeverity', 'Severity of the issue.', {
  error: 'A post with this issue is refused.',
  warning: 'A post with this issue is accepted.',
});

/** An issue that validation found. */
export const PostIssue = z
  .object({
    platform_post_index: z.int().nullable().meta({
      description:
        "Target's index in `platform_posts` or `account_ids`, from 0. Null if the issue is about the post as a whole.",
    }),
    account_id: z.string().nullable().meta({
      description: "ID of the target's account. Null if the issue is about the post as a whole.",
    }),
    platform: z.union([PlatformName, z.null()]).meta({
      description:
        "Target's network. Null if the issue is about the post as a whole, or if the account is unknown.",
    }),
    path: z.string().meta({
      description: 'Path of the field.',
      example: 'platform_posts[1].caption',
    }),
    field: z.string().meta({ description: 'The same path.', example: 'platform_posts[1].caption' }),
    code: z.string().meta({ description: 'Stable code of the issue.' }),
    message: z.string().meta({ description: 'Description of the issue.' }),
    actual: Measure.nullable().meta({
      description: 'Value or size that you sent. Null if not relevant.',
    }),
    limit: Measure.nullable().meta({
      description: 'Value or size that is allowed. Null if not relevant.',
    }),
    severity: IssueSeverity,
  })
  .meta({ id: 'PostIssue', description: 'An issue with one field of a post.' });
export type PostIssue = z.infer<typeof PostIssue>;

/** A post whose content was just checked. */
export type CheckedPost = Post & { warnings: PostIssue[] };

export const PostValidation = z
  .object({
    valid: z.boolean().meta({ description: 'Whether the post would be accepted.' }),
    errors: z.array(PostIssue).meta({ description: 'Issues that prevent the post.' }),
    warnings: z.array(PostIssue).meta({
      description: 'Issues that do not prevent the post, but may surprise you.',
    }),
  })
  .meta({ id: 'PostValidation', description: 'Result of validating a post.' });
export type PostValidation = z.infer<typeof PostValidation>;
