// What becomes of a post sent to the sandbox: taken or refused, as its directive asks.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Db, SandboxGrantRow, SandboxPostRow } from '../../schema/database/tables.ts';
import {
  findSandboxPost,
  insertSandboxPost,
  insertSandboxRefusal,
  setSandboxGrantEnded,
} from '../../schema/database/sandbox.ts';
import {
  maxSandboxCaption,
  maxSandboxDelayMs,
  maxSandboxMedia,
  SandboxOptions,
  type SandboxOutcome,
} from '../../schema/platforms/sandbox.ts';
import { readDirective, type Directive } from './directive.ts';
import { hangUp, hold, type SandboxRequest } from './hang-up.ts';
import { Refusal } from './refusal.ts';
import { isStorable, Storable } from './storable.ts';
import { expired, revoked } from './tokens.ts';

export const Reference = z.string().min(1).max(255).refine(isStorable);

export const NewPost = z.strictObject({
  caption: Storable.min(1, 'must not be empty').refine(
    (caption) => Array.from(caption).length <= maxSandboxCaption,
    { message: `must have ${maxSandboxCaption} characters at most` },
  ),
  reference: Reference.optional(),
  reply_to: Storable.max(64).optional(),
  media_urls: z
    .array(
      z
        .url({ protocol: /^https?$/ })
        .max(2_048)
        .refine(isStorable),
    )
    .max(maxSandboxMedia)
    .default([]),
  ...SandboxOptions.shape,
});
type NewPost = z.infer<typeof NewPost>;

export interface PostingSettings {
  db: Db;
  publicUrl: string;
}

const retryAfterS = 1;

export async function takePost(
  settings: PostingSettings,
  c: SandboxRequest,
  grant: SandboxGrantRow,
  sent: NewPost,
): Promise<Response> {
  const { db } = settings;
  const { caption, reference = null, reply_to = null, media_urls, ...asked } = sent;
  const read = readDirective(caption, asked);
  if ('fault' in read) throw new Refusal(422, 'invalid_directive', read.fault);
  const { directive } = read;
  if (reply_to !== null && !(await findSandboxPost(db, reply_to))) {
    throw new Refusal(422, 'reply_to_not_found', 'The post to answer is not on the sandbox.');
  }
  const outcome = (await takeTurn(db, reference, directive)) ? directive.outcome : 'published';
  if (!isTaken(outcome)) {
    await hold(outcome === 'hang' ? maxSandboxDelayMs : directive.delayMs);
    return refuse(db, c, grant, directive, outcome);
  }
  // It is public before the answer is held back, as at a network that is slow to tell.
  const id = newPostId();
  const { handle } = grant;
  const post = await insertSandboxPost(db, {
    id,
    handle,
    caption,
    reference,
    reply_to,
    media_urls,
    ...(outcome === 'lost_and_hidden' && { is_hidden: true }),
  });
  await hold(directive.delayMs);
  switch (outcome) {
    case 'published':
      return c.json(presentPost(settings, post), 201, throttleHeaders(directive));
    case 'answer_lost':
    case 'lost_and_hidden':
      return hangUp(c);
    case 'server_error_after':
      throw serverError();
  }
}

const takenOutcomes = [
  'published',
  'answer_lost',
  'server_error_after',
  'lost_and_hidden',
] as const;
type TakenOutcome = (typeof takenOutcomes)[number];

function isTaken(outcome: SandboxOutcome): outcome is TakenOutcome {
  return takenOutcomes.some((taken) => taken === outcome);
}

async function refuse(
  db: Db,
  c: SandboxRequest,
  grant: SandboxGrantRow,
  { hasRetryAfter }: Directive,
  outcome: Exclude<SandboxOutcome, TakenOutcome>,
): Promise<Response> {
  switch (outcome) {
    case 'rejected':
      throw new Refusal(422, 'content_rejected', 'The sandbox was asked to reject this post.');
    case 'unavailable':
      throw new Refusal(503, 'unavailable', 'The sandbox was asked to be unavailable.');
    case 'rate_limited':
      throw new Refusal(
        429,
        'rate_limited',
        'The sandbox was asked to limit this post.',
        hasRetryAfter ? { 'Retry-After': String(retryAfterS) } : {},
      );
    case 'server_error':
      throw serverError();
    case 'connection_cut':
    case 'hang':
      return hangUp(c);
    case 'token_expired':
      await setSandboxGrantEnded(db, grant, { is_expired: true });
      throw expired();
    case 'token_revoked':
      await setSandboxGrantEnded(db, grant, { is_revoked: true });
      throw revoked();
  }
}

function serverError(): Refusal {
  return new Refusal(500, 'server_error', 'The sandbox was asked to fail.');
}

/** Whether the outcome asked for still comes: `times` are counted per reference, whoever tries. */
async function takeTurn(db: Db, reference: string | null, { outcome, times }: Directive) {
  if (outcome === 'published' || times === undefined || reference === null) return true;
  return (await insertSandboxRefusal(db, reference)) <= times;
}

/** `X-RateLimit-Reset` counts seconds from now, so that no clocks need agree. */
function throttleHeaders({ throttleS }: Directive): Record<string, string> {
  if (throttleS === undefined) return {};
  return { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(throttleS) };
}

/** Ids grow with time, so that lists page by them. */
function newPostId(): string {
  return Date.now().toString(36).padStart(9, '0') + randomBytes(6).toString('hex');
}

export function presentPost(
  { publicUrl }: Pick<PostingSettings, 'publicUrl'>,
  post: SandboxPostRow,
) {
  return {
    id: post.id,
    handle: post.handle,
    caption: post.caption,
    reference: post.reference,
    reply_to: post.reply_to,
    media_urls: post.media_urls,
    url: `${publicUrl}/sandbox/posts/${post.id}`,
    created_at: post.created_at.toISOString(),
  };
}
