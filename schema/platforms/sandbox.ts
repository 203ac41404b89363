// The sandbox network inside Fanfare: a post to it may ask for every outcome.
import { z } from 'zod';
import { url } from '../config/variables.ts';
import { definePlatform } from './definition.ts';

/** What the network does with a post, in the words of the options that ask for it. */
export const sandboxOutcomes = {
  published: 'it is published',
  rejected: 'refused for good, 422',
  unavailable: 'refused for now, 503',
  rate_limited: 'refused with 429 and `Retry-After: 1`',
  server_error: 'answered 500 before it was taken',
  connection_cut: 'the connection ends before it was taken',
  hang: 'never taken and never answered',
  token_expired: 'the login ends, until it is refreshed',
  token_revoked: 'the login ends for good',
  answer_lost: 'published, but the connection ends without an answer',
  server_error_after: 'published, but answered 500',
  lost_and_hidden:
    'published, but the connection ends without an answer, and who looks for the post gets 503',
} as const;
export type SandboxOutcome = keyof typeof sandboxOutcomes;

export const maxSandboxDelayMs = 60_000;
export const maxSandboxCaption = 5_000;
export const maxSandboxMedia = 4;

const outcomeNames = Object.keys(sandboxOutcomes) as SandboxOutcome[];
const outcomeMeanings = outcomeNames.map((name) => `\`${name}\`: ${sandboxOutcomes[name]}`);

export const SandboxOptions = z
  .strictObject({
    outcome: z
      .enum(outcomeNames)
      .optional()
      .meta({
        description: `Default: published. ${outcomeMeanings.join('; ')}.`,
        'x-enumDescriptions': sandboxOutcomes,
      }),
    times: z.int().min(1).max(1_000).optional().meta({
      description:
        'How often that outcome comes before the post is published after all. Default: always.',
    }),
    delay_ms: z.int().min(0).max(maxSandboxDelayMs).optional().meta({
      description: 'How long the answer is held back.',
    }),
    throttle_s: z.int().min(1).max(3_600).optional().meta({
      description:
        'The answer to the published post says that the account must not post for so many seconds.',
    }),
    without_retry_after: z.boolean().optional().meta({
      description: 'Whether `rate_limited` leaves `Retry-After` out. Default: false.',
    }),
  })
  .meta({ id: 'SandboxOptions', description: 'Options of a post to the sandbox.' });
export type SandboxOptions = z.infer<typeof SandboxOptions>;

export const sandbox = definePlatform({
  name: 'sandbox',
  title: 'Sandbox',
  connectsBy: 'Any name',
  testedWith: 'Built in',
  settings: {
    apiUrl: url(
      'The base address of the sandbox network: <address of `api`>/sandbox. The command `worker` needs it where the sandbox is on. Default: our own /sandbox.',
    ),
  },
  rules: {
    text: { max: maxSandboxCaption, unit: 'characters' },
    isTextRequired: true,
    media: { max: maxSandboxMedia },
    replies: { id: /^[0-9a-z]{1,64}$/, example: '0mg3k2x1a9f3c2d41e6b5a' },
    source: "the sandbox's own rule",
  },
  options: SandboxOptions,
  commitRepeatsForMs: 0,
});

const handlePattern = /^[a-z0-9][a-z0-9_.-]{0,29}$/;

/** `@Ada` and `ada` are one handle. */
export const SandboxHandle = z
  .string()
  .trim()
  .transform((handle) => handle.replace(/^@/, '').toLowerCase())
  .pipe(z.string().regex(handlePattern, 'must be 1 to 30 letters, digits, dots, dashes or lines'))
  .meta({ description: 'Any name; the account comes to be when it is first used.' });
