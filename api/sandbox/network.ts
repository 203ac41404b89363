// The sandbox network's API: tokens, posts, and every way in which a network can let one down.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { z } from 'zod';
import type { Db, SandboxPostRow } from '../../schema/database/database.ts';
import {
  insertSandboxPost,
  insertSandboxRefusal,
  listSandboxPosts,
  setSandboxGrantEnded,
} from '../../schema/database/sandbox.ts';
import { maxSandboxCaption, SandboxHandle, SandboxOptions } from '../../schema/sandbox.ts';
import { readDirective, type Directive } from './directive.ts';
import { Refusal } from './refusal.ts';
import { authenticate, exchangeCode, expired, logIn, refresh, revoke, revoked } from './tokens.ts';

/** What the front server hands over, so that a connection can be cut off. */
export interface NodeBindings {
  req?: IncomingMessage;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');
const Secret = z.string().refine(isStorable, 'has characters that are none');

const Token = z.discriminatedUnion('grant_type', [
  z.strictObject({ grant_type: z.literal('handle'), handle: SandboxHandle }),
  z.strictObject({ grant_type: z.literal('code'), code: Secret }),
  z.strictObject({ grant_type: z.literal('refresh_token'), refresh_token: Secret }),
]);

const Reference = z.string().min(1).max(255).refine(isStorable);

const NewPost = z.strictObject({
  caption: z
    .string()
    .min(1, 'must not be empty')
    .refine(isStorable, 'has characters that are none')
    .refine((caption) => Array.from(caption).length <= maxSandboxCaption, {
      message: `must have ${maxSandboxCaption} characters at most`,
    }),
  reference: Reference.optional(),
  ...SandboxOptions.shape,
});

const listed = 100;
const retryAfterS = 1;

export function createNetwork(settings: { db: Db; publicUrl: string }): Hono {
  const { db } = settings;
  const app = new Hono<{ Bindings: NodeBindings }>();

  app.post('/token', async (c) => {
    const asked = await readBody(c, Token, 400);
    switch (asked.grant_type) {
      case 'handle':
        return c.json(await logIn(db, asked.handle));
      case 'code':
        return c.json(await exchangeCode(db, asked.code));
      case 'refresh_token':
        return c.json(await refresh(db, asked.refresh_token));
    }
  });

  app.post('/revoke', async (c) => {
    await revoke(db, (await readBody(c, z.strictObject({ token: z.string() }), 400)).token);
    return c.body(null, 204);
  });

  app.get('/posts', async (c) => {
    const { handle } = await authenticate(db, c.req.header('Authorization'));
    const reference = Reference.optional().safeParse(c.req.query('reference'));
    if (!reference.success) throw new Refusal(422, 'invalid_request', 'reference: is not valid');
    const posts = await listSandboxPosts(db, { handle, reference: reference.data }, listed);
    return c.json({ posts: posts.map((post) => presentPost(settings, post)) });
  });

  app.post('/posts', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    const { caption, reference = null, ...asked } = await readBody(c, NewPost, 422);
    const read = readDirective(caption, asked);
    if ('fault' in read) throw new Refusal(422, 'invalid_directive', read.fault);
    const { directive } = read;
    const isApplied = await takeTurn(db, reference, directive);
    const outcome = isApplied ? directive.outcome : 'published';
    if (outcome === 'published' || outcome === 'answer_lost') {
      // It is public before the answer is held back, as at a network that is slow to tell.
      const id = newPostId();
      const post = await insertSandboxPost(db, { id, handle: grant.handle, caption, reference });
      await hold(directive.delayMs);
      return outcome === 'published' ? c.json(presentPost(settings, post), 201) : hangUp(c);
    }
    await hold(directive.delayMs);
    switch (outcome) {
      case 'rejected':
        throw new Refusal(422, 'content_rejected', 'The sandbox was asked to reject this post.');
      case 'unavailable':
        throw new Refusal(503, 'unavailable', 'The sandbox was asked to be unavailable.');
      case 'rate_limited':
        throw new Refusal(429, 'rate_limited', 'The sandbox was asked to limit this post.', {
          'Retry-After': String(retryAfterS),
        });
      case 'token_expired':
        await setSandboxGrantEnded(db, grant, { is_expired: true });
        throw expired();
      case 'token_revoked':
        await setSandboxGrantEnded(db, grant, { is_revoked: true });
        throw revoked();
    }
  });

  return app as unknown as Hono;
}

/** Whether the outcome asked for still comes: `times` are counted per reference, whoever tries. */
async function takeTurn(db: Db, reference: string | null, { outcome, times }: Directive) {
  if (outcome === 'published' || times === undefined || reference === null) return true;
  return (await insertSandboxRefusal(db, reference)) <= times;
}

async function hold(delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
}

/** Without a socket at hand the answer breaks off after its head instead. */
function hangUp(c: HonoContext<{ Bindings: NodeBindings }>): Response {
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

async function readBody<T>(
  c: HonoContext<{ Bindings: NodeBindings }>,
  schema: z.ZodType<T>,
  status: number,
): Promise<T> {
  const body: unknown = await c.req.json().catch(() => undefined);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'body';
  throw new Refusal(status, 'invalid_request', `${path}: ${issue?.message ?? 'is not valid'}`);
}

/** Ids grow with time, so that lists page by them. */
function newPostId(): string {
  return Date.now().toString(36).padStart(9, '0') + randomBytes(6).toString('hex');
}

function presentPost({ publicUrl }: { publicUrl: string }, post: SandboxPostRow) {
  return {
    id: post.id,
    handle: post.handle,
    caption: post.caption,
    reference: post.reference,
    url: `${publicUrl}/sandbox/posts/${post.id}`,
    created_at: post.created_at.toISOString(),
  };
}
