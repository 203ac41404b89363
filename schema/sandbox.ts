// What a post to the sandbox network may ask for, so that every outcome can be brought about.
import { z } from 'zod';

const sandboxOutcomes = [
  'published',
  'rejected',
  'unavailable',
  'rate_limited',
  'token_expired',
  'token_revoked',
  'answer_lost',
] as const;
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

export const maxSandboxDelayMs = 60_000;
export const maxSandboxCaption = 5_000;

export const SandboxOptions = z
  .strictObject({
    outcome: z.enum(sandboxOutcomes).optional().meta({ description: 'Default: published.' }),
    times: z.int().min(1).max(1_000).optional().meta({
      description:
        'How often that outcome comes before the post is published after all. Default: always.',
    }),
    delay_ms: z.int().min(0).max(maxSandboxDelayMs).optional().meta({
      description: 'How long the answer is held back.',
    }),
  })
  .meta({ id: 'SandboxOptions' });
export type SandboxOptions = z.infer<typeof SandboxOptions>;

const handlePattern = /^[a-z0-9][a-z0-9_.-]{0,29}$/;

/** `@Ada` and `ada` are one handle. */
export const SandboxHandle = z
  .string()
  .trim()
  .transform((handle) => handle.replace(/^@/, '').toLowerCase())
  .pipe(z.string().regex(handlePattern, 'must be 1 to 30 letters, digits, dots, dashes or lines'))
  .meta({ description: 'Any name; the account comes to be when it is first used.' });
