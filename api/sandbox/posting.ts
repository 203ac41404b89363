// Publishes or refuses a post to the sandbox, as its options or its caption say.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context as HonoContext } from 'hono';
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
import { checkMedia } from './media.ts';
import { Refusal } from './refusal.ts';
import { expired, revoked } from './tokens.ts';
import { isSandboxId, newSandboxId, Storable } from './values.ts';

export const Reference = Storable.min(1).max(255);

const PostFields = z.strictObject({
  caption: Storable.refine((caption) => Array.from(caption).length <= maxSandboxCaption, {
    message: `must have at most ${maxSandboxCaption} characters`,
  }),
  reference: Reference.optional(),
  reply_to: Storable.max(64).optional(),
  media: z
    .array(z.string().refine(isSandboxId, 'must be the ID of media'))
    .max(maxSandboxMedia)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an ID')
    .default([]),
  ...SandboxOptions.shape,
});

export const NewPost = PostFields.refine(
  ({ caption, media }) => caption !== '' || media.length > 0,
  {
    path: ['caption'],
    message: 'must not be empty',
  },
);
type NewPost = z.infer<typeof NewPost>;

/** Node's own request, so that the sandbox can cut its connection. */
export interface NodeBindings {
  req?: IncomingMessage;
}

export type SandboxRequest = HonoContext<{ Bindings: NodeBindings }>;

export interface PostingSettings {
  db: Db;
  publicUrl: string;
}

const retryAfterS = 1;

export async function acceptPost(
  settings: PostingSettings,
  c: SandboxRequest,
  grant: SandboxGrantRow,
  sent: NewPost,
): Promise<Response> {
  const { db } = settings;
  const { caption, reference = null, reply_to = null, media, ...requested } = sent;
  const options = readOptions(caption, requested);
  const { delay_ms: delayMs = 0, change_outcome = null, change_times = null } = options;
  if (reply_to !== null && !(await findSandboxPost(db, reply_to))) {
    throw new Refusal(422, 'reply_to_not_found', 'The post to reply to is not on the sandbox.');
  }
  await checkMedia(db, grant, media);
  const outcome = await findOutcome(db, reference, options);
  if (!isTaken(outcome)) {
    await hold(outcome === 'hang' ? maxSandboxDelayMs : delayMs);
    return refuse(db, c, grant, options, outcome);
  }
  // The post is public before the response, as on a network that responds slowly.
  const id = newSandboxId();
  const { handle } = grant;
  const post = await insertSandboxPost(db, {
    id,
    handle,
    caption,
    reference,
    reply_to,
    media,
    change_outcome,
    change_times,
    ...(outcome === 'lost_and_hidden' && { is_hidden: true }),
  });
  await hold(delayMs);
  switch (outcome) {
    case 'published':
      return c.json(presentPost(settings, post), 201, throttleHeaders(options));
    case 'answer_lost':
    case 'lost_and_hidden':
      return hangUp(c);
    case 'server_error_after':
      throw serverError();
  }
}

const directive = /\[sandbox((?:\s+\w+=\w+)*)\s*\]/;

/** Options take precedence over `[sandbox outcome=rejected delay_ms=500]` in the caption. */
function readOptions(caption: string, requested: SandboxOptions): SandboxOptions {
  const words = directive.exec(caption)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
  const pairs = words.map((word) => {
    const [name = '', value = ''] = word.split('=');
    return [name, readValue(value)];
  });
  const { data, error } = SandboxOptions.safeParse(Object.fromEntries(pairs));
  if (data) return { ...data, ...requested };
  const [first] = error.issues;
  const issue = [...(first?.path ?? []), first?.message].join(': ');
  throw new Refusal(422, 'invalid_directive', issue);
}

function readValue(word: string): string | number | boolean {
  if (/^\d+$/.test(word)) return Number(word);
  return word === 'true' || word === 'false' ? word === 'true' : word;
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

export async function refuse(
  db: Db,
  c: SandboxRequest,
  grant: SandboxGrantRow,
  { without_retry_after: hasNoRetryAfter }: SandboxOptions,
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
        hasNoRetryAfter ? {} : { 'Retry-After': String(retryAfterS) },
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

export function serverError(): Refusal {
  return new Refusal(500, 'server_error', 'The sandbox was asked to fail.');
}

/** The requested outcome as long as it applies. `times` counts attempts per reference. */
async function findOutcome(
  db: Db,
  reference: string | null,
  { outcome = 'published', times }: SandboxOptions,
): Promise<SandboxOutcome> {
  if (outcome === 'published' || times === undefined || reference === null) return outcome;
  return (await insertSandboxRefusal(db, reference)) <= times ? outcome : 'published';
}

/** `X-RateLimit-Reset-After` counts seconds from now, so clocks can differ. */
function throttleHeaders({ throttle_s: throttleS }: SandboxOptions): Record<string, string> {
  if (throttleS === undefined) return {};
  return { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset-After': String(throttleS) };
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
    media: post.media,
    url: `${publicUrl}/sandbox/posts/${post.id}`,
    created_at: post.created_at.toISOString(),
  };
}

async function hold(delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
}

/** Cuts the connection. Without a socket, the response breaks off after its headers. */
export function hangUp(c: SandboxRequest): Response {
  const socket = (c.env as NodeBindings | undefined)?.req?.socket;
  if (!socket) {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('The sandbox lost its answer.')),
    });
    return new Response(broken, { status: 201 });
  }
  socket.destroy();
  return new Response(null, { status: 204 });
}
