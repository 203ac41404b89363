// The sandbox network's API: tokens, media and posts.
import { Hono } from 'hono';
import { z } from 'zod';
import { deleteSandboxPost, listSandboxPosts } from '../../schema/database/sandbox.ts';
import { SandboxHandle } from '../../schema/platforms/sandbox.ts';
import {
  NewPost,
  presentPost,
  Reference,
  acceptPost,
  type NodeBindings,
  type PostingSettings,
  type SandboxRequest,
} from './posting.ts';
import { changePost, editPost, findOwnPost, hidden, listAltTexts, PostEdit } from './changes.ts';
import { createMedia, NewMedia, storePart } from './media.ts';
import { Refusal } from './refusal.ts';
import { authenticate, exchangeCode, logIn, refresh, revoke } from './tokens.ts';
import { Storable } from './values.ts';

const Token = z.discriminatedUnion('grant_type', [
  z.strictObject({ grant_type: z.literal('handle'), handle: SandboxHandle }),
  z.strictObject({ grant_type: z.literal('code'), code: Storable }),
  z.strictObject({ grant_type: z.literal('refresh_token'), refresh_token: Storable }),
]);

const listed = 100;

export function createNetwork(settings: PostingSettings): Hono {
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

  app.post('/media', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    return c.json(await createMedia(db, grant, await readBody(c, NewMedia, 422)), 201);
  });

  app.put('/media/:id', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    return c.json(await storePart(db, grant, c.req.param('id'), c.req.raw));
  });

  app.get('/posts', async (c) => {
    const { handle } = await authenticate(db, c.req.header('Authorization'));
    const reference = Reference.optional().safeParse(c.req.query('reference'));
    if (!reference.success) throw new Refusal(422, 'invalid_request', 'reference: is invalid');
    const posts = await listSandboxPosts(db, { handle, reference: reference.data }, listed);
    if (reference.data !== undefined && posts.some(({ is_hidden }) => is_hidden)) {
      throw hidden();
    }
    return c.json({ posts: posts.map((post) => presentPost(settings, post)) });
  });

  app.post('/posts', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    return acceptPost(settings, c, grant, await readBody(c, NewPost, 422));
  });

  app.get('/posts/:id', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    const post = await findOwnPost(db, grant, c.req.param('id'));
    if (post.is_hidden) throw hidden();
    return c.json({ ...presentPost(settings, post), alt_texts: await listAltTexts(db, post) });
  });

  app.patch('/posts/:id', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    const edit = await readBody(c, PostEdit, 422);
    return changePost(db, c, grant, c.req.param('id'), async (post) => {
      await editPost(db, post, edit);
      return c.json(presentPost(settings, { ...post, ...edit }));
    });
  });

  app.delete('/posts/:id', async (c) => {
    const grant = await authenticate(db, c.req.header('Authorization'));
    return changePost(db, c, grant, c.req.param('id'), async ({ id }) => {
      await deleteSandboxPost(db, id);
      return c.body(null, 204);
    });
  });

  return app as unknown as Hono;
}

async function readBody<T>(c: SandboxRequest, schema: z.ZodType<T>, status: number): Promise<T> {
  const body: unknown = await c.req.json().catch(() => undefined);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'body';
  throw new Refusal(status, 'invalid_request', `${path}: ${issue?.message ?? 'is invalid'}`);
}
