// The sandbox network inside Fanfare. The options of a post choose its outcome.
import { z } from 'zod';
import { url } from './variables.ts';
import { definePlatform } from './definition.ts';

/** The outcomes that the option `outcome` can ask for. */
export const sandboxOutcomes = {
  published: 'publishes the post',
  rejected: 'refuses the post permanently, with 422',
  unavailable: 'refuses the post temporarily, with 503',
  rate_limited: 'refuses the post with 429 and `Retry-After: 1`',
  server_error: 'answers 500 before it accepts the post',
  connection_cut: 'closes the connection before it accepts the post',
  hang: 'never accepts the post and never answers',
  token_expired: 'ends the login until it is refreshed',
  token_revoked: 'ends the login permanently',
  answer_lost: 'publishes the post, then closes the connection without an answer',
  server_error_after: 'publishes the post, then answers 500',
  lost_and_hidden:
    'publishes the post, then closes the connection without an answer, and answers checks with 503',
} as const;
export type SandboxOutcome = keyof typeof sandboxOutcomes;

/** The outcomes of edits and removals that the option `change_outcome` can ask for. */
export const sandboxChangeOutcomes = {
  rejected: 'refuses the change permanently, with 422',
  unavailable: 'refuses the change temporarily, with 503',
  rate_limited: 'refuses the change with 429 and `Retry-After: 1`',
  connection_cut: 'closes the connection before it makes the change',
  token_expired: 'ends the login until it is refreshed',
  token_revoked: 'ends the login permanently',
  answer_lost: 'makes the change, then closes the connection without an answer',
  server_error_after: 'makes the change, then answers 500',
  hidden: 'closes the connection without an answer, and answers checks with 503',
} as const;
export type SandboxChangeOutcome = keyof typeof sandboxChangeOutcomes;

export const maxSandboxDelayMs = 60_000;
export const maxSandboxCaption = 5_000;
export const maxSandboxMedia = 4;
export const maxSandboxAltText = 2_000;
export const maxSandboxMediaBytes = 536_870_912;
/** Maximum size of one request. */
export const maxSandboxPartBytes = 8_388_608;
const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const;
const videoTypes = ['video/mp4', 'video/quicktime', 'video/webm'] as const;
export const sandboxMediaTypes = [...imageTypes, ...videoTypes] as const;

const outcomeNames = Object.keys(sandboxOutcomes) as SandboxOutcome[];
const changeOutcomeNames = Object.keys(sandboxChangeOutcomes) as SandboxChangeOutcome[];

export const SandboxOptions = z
  .strictObject({
    outcome: z.enum(outcomeNames).optional().meta({
      description: 'What the sandbox does with the post. By default, it publishes the post.',
      'x-enumDescriptions': sandboxOutcomes,
    }),
    times: z.int().min(1).max(1_000).optional().meta({
      description:
        'Number of calls that get this outcome. Later calls publish the post. Default: every call.',
    }),
    delay_ms: z.int().min(0).max(maxSandboxDelayMs).optional().meta({
      description: 'Delay of the answer, in milliseconds. Default: 0.',
    }),
    throttle_s: z.int().min(1).max(3_600).optional().meta({
      description:
        'Seconds until the account can post again, which the answer to a published post reports.',
    }),
    without_retry_after: z.boolean().optional().meta({
      description: 'Whether `rate_limited` omits `Retry-After`. Default: false.',
    }),
    change_outcome: z.enum(changeOutcomeNames).optional().meta({
      description:
        'What the sandbox does with later edits and removals of the post. By default, it makes the change.',
      'x-enumDescriptions': sandboxChangeOutcomes,
    }),
    change_times: z.int().min(1).max(1_000).optional().meta({
      description:
        'Number of edits and removals that get `change_outcome`. Later ones are made. Default: all of them.',
    }),
  })
  .meta({ id: 'SandboxOptions', description: 'Options of a post to the sandbox.' });
export type SandboxOptions = z.infer<typeof SandboxOptions>;

const sandboxRule = "the sandbox's own rule";

export const sandbox = definePlatform({
  name: 'sandbox',
  title: 'Sandbox',
  settings: {
    apiUrl: url(
      'Base URL of the sandbox network: `/sandbox` of the API. The command `worker` needs it if the sandbox is on. Default: `/sandbox` of this process.',
    ),
  },
  rules: {
    text: { max: maxSandboxCaption, unit: 'characters' },
    isTextRequired: true,
    media: {
      max: maxSandboxMedia,
      canMix: true,
      image: { max: maxSandboxMedia, types: imageTypes, maxBytes: maxSandboxMediaBytes },
      video: { max: maxSandboxMedia, types: videoTypes, maxBytes: maxSandboxMediaBytes },
      altText: maxSandboxAltText,
    },
    replies: { id: /^[0-9a-z]{1,64}$/, example: '0mg3k2x1a9f3c2d41e6b5a' },
    source: sandboxRule,
  },
  options: SandboxOptions,
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: { fields: ['caption', 'media.alt_text'], withinS: null, scopes: [], except: [] },
    byHand: 'The sandbox has no page for it.',
    sources: { unpublish: sandboxRule, edit: sandboxRule },
  },
  preparesOnlyMedia: true,
  commitRepeatsForMs: 0,
});

const handlePattern = /^[a-z0-9][a-z0-9_.-]{0,29}$/;

/** `@Ada` and `ada` are the same handle. */
export const SandboxHandle = z
  .string()
  .trim()
  .transform((handle) => handle.replace(/^@/, '').toLowerCase())
  .pipe(
    z.string().regex(handlePattern, 'must be 1 to 30 letters, digits, dots, dashes or underscores'),
  )
  .meta({ description: 'Any name. The first use creates the account.' });
