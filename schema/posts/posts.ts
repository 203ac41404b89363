// Posts and their results, as the wire shows them.
import { z } from 'zod';
import { listQuery, ordered } from '../wire/listing.ts';
import { fixedLimits } from '../limits.ts';
import { PlatformName } from '../platforms/index.ts';
import { GivenTime, Timestamp } from '../wire/timestamp.ts';

export const postStatuses = [
  'draft',
  'scheduled',
  'pending',
  'published',
  'partial',
  'failed',
  'canceled',
] as const;
export const resultStatuses = ['pending', 'publishing', 'published', 'failed', 'canceled'] as const;
export const phases = ['prepare', 'commit', 'confirm', 'reconcile'] as const;
export const failureStages = ['validate', ...phases] as const;
export const nextActions = [
  'none',
  'edit_content',
  'retry',
  'reconnect_account',
  'check_network',
  'wait',
  'contact_operator',
] as const;

export const waitReasons = {
  rate_limit: 'The network, or the operator, limits how often may be posted.',
  network: 'The network was out of reach, or refused for now: the call is made again.',
  confirmation: 'The network took the post and is still at work on it.',
  lost_answer: 'The answer of the call that makes it public was lost: it is looked for.',
  pause: 'The operator has paused the network or the project.',
  answered_post: 'What it answers is not public yet: the part before it, or what it comments.',
} as const;
export type WaitReason = keyof typeof waitReasons;
export const waitReasonNames = Object.keys(waitReasons) as WaitReason[];

export type PostStatus = (typeof postStatuses)[number];
export type ResultStatus = (typeof resultStatuses)[number];
export type Phase = (typeof phases)[number];
export type FailureStage = (typeof failureStages)[number];
export type NextAction = (typeof nextActions)[number];

export const ProviderError = z.record(z.string(), z.unknown()).nullable().meta({
  description: "The network's own answer, at most 4 KiB of it. `is_cut`: there was more.",
});

/** In the words of both APIs. */
export const attemptsMeaning =
  'How often the call that makes it public was made, over all runs. The attempts of the target are its calls of all phases, and so are more.';
export const nextAttemptMeaning = 'While it waits: when it goes on. Null: it waits for no time.';
export const waitingForMeaning = 'Null: it has ended, is under way, or its time has not come.';

/** What became of a target, or of the first comment under it. */
const Outcome = z.object({
  status: z.enum(resultStatuses),
  external_id: z.string().nullable(),
  url: z.string().nullable(),
  published_at: Timestamp.nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  error_hint: z.string().nullable().meta({ description: 'What to do about the error code.' }),
  error_docs_url: z.string().nullable().meta({ description: 'The error code in `/docs`.' }),
  failure_stage: z.enum(failureStages).nullable(),
  platform_error_code: z.string().nullable(),
  provider_error: ProviderError,
  is_retriable: z.boolean(),
  next_action: z.enum(nextActions),
  attempts: z.int().meta({ description: attemptsMeaning }),
  waiting_for: z
    .enum(waitReasonNames)
    .nullable()
    .meta({
      description: `${waitingForMeaning} ${waitReasonNames.map((name) => `\`${name}\`: ${waitReasons[name]}`).join(' ')}`,
    }),
  next_attempt_at: Timestamp.nullable().meta({ description: nextAttemptMeaning }),
});
export type Outcome = z.infer<typeof Outcome>;

export const FirstComment = z
  .object({
    id: z.string().meta({
      description: "Its attempts are listed by it. It is retried by its target's id.",
    }),
    text: z.string(),
    ...Outcome.shape,
  })
  .meta({ id: 'FirstComment' });
export type FirstComment = z.infer<typeof FirstComment>;

export const PostResult = z
  .object({
    id: z.string(),
    social_account_id: z.string(),
    platform: PlatformName,
    account_name: z.string(),
    caption: z.string(),
    media_urls: z.array(z.string()),
    thread_position: z.int().nullable(),
    in_reply_to: z.string().nullable(),
    platform_options: z.record(z.string(), z.unknown()).meta({
      description: 'As they were given; of a target without any, an empty object.',
    }),
    ...Outcome.shape,
    // Not `nullable()`, which would make the component nullable wherever it is named.
    first_comment: z.union([FirstComment, z.null()]),
  })
  .meta({ id: 'PostResult' });
export type PostResult = z.infer<typeof PostResult>;

export const Post = z
  .object({
    id: z.string(),
    caption: z.string(),
    status: z.enum(postStatuses),
    created_at: Timestamp,
    scheduled_at: Timestamp.nullable(),
    published_at: Timestamp.nullable(),
    media_urls: z.array(z.string()),
    metadata: z.record(z.string(), z.string()),
    results: z.array(PostResult),
  })
  .meta({ id: 'Post' });
export type Post = z.infer<typeof Post>;

/** A result as event data shows it: the contract's fields and what a receiver needs to act. */
export const PostEventResult = PostResult.pick({
  id: true,
  social_account_id: true,
  platform: true,
  account_name: true,
  status: true,
  external_id: true,
  url: true,
  published_at: true,
  error_code: true,
  error_message: true,
}).meta({ id: 'PostEventResult' });

export type PostEventResult = z.infer<typeof PostEventResult>;

export const PostEventData = Post.omit({ media_urls: true, results: true })
  .extend({ results: z.array(PostEventResult) })
  .meta({ id: 'PostEventData' });
export type PostEventData = z.infer<typeof PostEventData>;

const Caption = z.string().max(fixedLimits.captionCharacters);
const MediaUrls = z.array(z.string());

export const PlatformPost = z
  .strictObject({
    account_id: z.string(),
    caption: Caption.optional().meta({ description: "Default: the post's." }),
    media_urls: MediaUrls.optional().meta({
      description: "Instead of the post's; an empty list: none.",
    }),
    thread_position: z.int().min(0).optional().meta({
      description:
        'Makes the targets of one account a thread, each a result of its own that answers the one before. Counted from 0 or from 1, without holes.',
    }),
    first_comment: z.string().min(1).max(fixedLimits.firstCommentCharacters).optional().meta({
      description: 'Published as an answer to the post once that is public.',
    }),
    in_reply_to: z.string().min(1).max(fixedLimits.externalIdCharacters).optional().meta({
      description: 'The post that this one answers, by its id at the network: its `external_id`.',
    }),
    platform: PlatformName.optional().meta({
      description: 'The network that the options are for. An account of another one is refused.',
    }),
    platform_options: z.record(z.string(), z.unknown()).optional().meta({
      description:
        "Options of the account's network. `GET /v1/platforms/capabilities` has their JSON Schema.",
    }),
  })
  .meta({ id: 'PlatformPost' });
export type PlatformPost = z.infer<typeof PlatformPost>;

/** Rules across fields (one target form, the schedule, the accounts) are checked by `createPost`. */
export const CreatePost = z
  .strictObject({
    caption: Caption.default(''),
    account_ids: z.array(z.string()).optional(),
    platform_posts: z.array(PlatformPost).optional(),
    media_urls: MediaUrls.default([]).meta({
      description: 'Absolute http(s) URLs, for every target without its own.',
    }),
    scheduled_at: GivenTime.optional().meta({
      description: `At least 60 s ahead, at most ${fixedLimits.scheduleAheadDays} days. Without it the post is published now.`,
    }),
    status: z
      .literal('draft', {
        error:
          'must be "draft", or left out: `scheduled_at` schedules a post, and without it it is published now',
      })
      .optional(),
    metadata: z
      .record(z.string().min(1).max(64), z.string().max(512))
      .refine((pairs) => Object.keys(pairs).length <= 20, 'takes 20 pairs at most')
      .default({}),
    idempotency_key: z.string().min(1).max(255).optional(),
  })
  .meta({ id: 'CreatePost' });
export type CreatePost = z.infer<typeof CreatePost>;

export const findingSeverities = ['error', 'warning'] as const;

/** What `validate` says of one field; creation refuses what it calls an error. */
export const PostFinding = z
  .object({
    platform_post_index: z.int().nullable().meta({
      description:
        "The target's place in `platform_posts` or `account_ids`. Null: it is about the post as a whole.",
    }),
    account_id: z.string().nullable(),
    platform: z.union([PlatformName, z.null()]),
    field: z.string().meta({ example: 'platform_posts[1].caption' }),
    code: z.string(),
    message: z.string(),
    actual: z.union([z.string(), z.number()]).nullable(),
    limit: z.union([z.string(), z.number()]).nullable(),
    severity: z.enum(findingSeverities),
  })
  .meta({ id: 'PostFinding' });
export type PostFinding = z.infer<typeof PostFinding>;

export const PostVerdict = z
  .object({
    valid: z.boolean(),
    errors: z.array(PostFinding),
    warnings: z.array(PostFinding),
  })
  .meta({ id: 'PostVerdict' });
export type PostVerdict = z.infer<typeof PostVerdict>;

/** `from` and `to` bound `created_at`: from inclusive, to exclusive. */
export const ListPosts = ordered(
  listQuery({
    status: z.enum(postStatuses).optional(),
    platform: PlatformName.optional(),
    social_account_id: z.string().min(1).optional(),
    external_user_id: z.string().min(1).max(255).optional(),
    from: GivenTime.optional(),
    to: GivenTime.optional(),
  }),
  'from',
  'to',
);
export type ListPosts = z.infer<typeof ListPosts>;
