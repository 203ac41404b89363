// A network like YouTube: it takes bytes in a session, publishes with the last byte, and then processes the post.
import { z } from 'zod';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { createRefresh, type Send } from './caller.ts';
import {
  addPost,
  checkReplyTo,
  findByText,
  listRoute,
  simulatedDefinition,
  startSimulation,
  toUrl,
  type NetworkKind,
  type PublicPost,
} from './network.ts';
import { readBytes, readJson, Refusal, type Route } from './strict-requests.ts';
import type { Tokens } from './tokens.ts';

const NewSession = z.strictObject({ size: z.int().min(2), reply_to: z.string().optional() });
const Uploaded = z.object({ id: z.string() });
const PostStatus = z.object({ status: z.enum(['processing', 'public']), url: z.string() });
const State = z.object({ session: z.string(), postId: z.string().optional() });
const incomplete = 308;

export const uploadSession: NetworkKind = {
  name: 'a network of upload sessions',
  start: () => startSimulation({ routes, connect }),
  calls: { prepare: 2, commit: 1, confirm: 2, reconcile: 1 },
  resolution: 'search',
  isUnavailableSafe: true,
  hasRefresh: true,
};

interface Session {
  size: number;
  replyTo: string | null;
  bytes: Buffer;
  postId: string | null;
}

function routes(tokens: Tokens, posts: PublicPost[]): Route[] {
  const sessions = new Map<string, Session>();
  const checks = new Map<string, number>();
  return [
    listRoute(tokens, posts),
    {
      method: 'POST',
      path: /^\/sessions$/,
      async handle(request) {
        tokens.check(request);
        const { size, reply_to } = await readJson(request, NewSession);
        checkReplyTo(posts, reply_to);
        const location = `/sessions/${sessions.size + 1}`;
        const bytes = Buffer.alloc(0);
        sessions.set(location, { size, replyTo: reply_to ?? null, bytes, postId: null });
        return Response.json({}, { status: 201, headers: { location } });
      },
    },
    {
      method: 'PUT',
      path: /^(\/sessions\/\d+)$/,
      async handle(request, [location = '']) {
        tokens.check(request);
        const session = sessions.get(location);
        if (!session) throw new Refusal(404, 'not_found', 'The session has ended.');
        await receive(session, request);
        const { bytes, size, replyTo } = session;
        if (bytes.length < size) return Response.json({}, { status: incomplete });
        session.postId ??= addPost(posts, { text: bytes.toString(), replyTo }).id;
        return Response.json({ id: session.postId });
      },
    },
    {
      method: 'GET',
      path: /^\/posts\/([^/]+)\/status$/,
      handle(request, [id = '']) {
        tokens.check(request);
        if (!posts.some((post) => post.id === id)) throw new Refusal(404, 'not_found', 'Gone.');
        checks.set(id, (checks.get(id) ?? 0) + 1);
        const status = checks.get(id)! > 1 ? 'public' : 'processing';
        return Response.json({ status, url: toUrl(id) });
      },
    },
  ];
}

/** The bytes of one range, or none, which asks how far it is. */
async function receive(session: Session, request: Request): Promise<void> {
  const range = request.headers.get('content-range') ?? '';
  const [, start, end, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(range) ?? [];
  if (Number(total) !== session.size) throw new Refusal(400, 'wrong_range', 'Name the range.');
  if (start === undefined || session.postId !== null) return;
  const bytes = await readBytes(request);
  const isRepeated = Number(end) < session.bytes.length;
  if (isRepeated) return;
  const isNext = Number(start) === session.bytes.length;
  const isWhole = Number(end) - Number(start) + 1 === bytes.length;
  if (!isNext || !isWhole) throw new Refusal(400, 'wrong_range', 'Those bytes are not next.');
  session.bytes = Buffer.concat([session.bytes, bytes]);
}

function connect(send: Send): Platform {
  const put = (
    { session, bytes, range }: { session: string; bytes?: Buffer; range: string },
    {
      mayRepeat,
      ...call
    }: { mayRepeat: boolean; credentials: Record<string, string>; signal: AbortSignal },
  ) =>
    send({
      method: 'PUT',
      path: session,
      mayRepeat,
      headers: { 'content-range': `bytes ${range}` },
      ...(bytes && { bytes }),
      accepts: [incomplete],
      answer: Uploaded.partial(),
      ...call,
    });
  /** All but the last half is sent before the commit. */
  const halve = (caption: string) => {
    const bytes = Buffer.from(caption);
    return { bytes, half: bytes.length >> 1 };
  };
  return {
    // Repeats are safe here, but a connector that doesn't know that must check first.
    definition: simulatedDefinition,
    connect: [],
    refresh: createRefresh(send),

    async prepare({ caption, replyTo, credentials, state }, signal) {
      const { bytes, half } = halve(caption);
      const opened = State.safeParse(state).data;
      if (opened) {
        const range = `0-${half - 1}/${bytes.length}`;
        const first = { ...opened, bytes: bytes.subarray(0, half), range };
        await put(first, { mayRepeat: true, credentials, signal });
        return { outcome: 'prepared', state };
      }
      const answer = await send({
        path: '/sessions',
        mayRepeat: true,
        credentials,
        json: { size: bytes.length, ...(replyTo !== null && { reply_to: replyTo }) },
        answer: z.object({}),
        signal,
      });
      const session = answer.headers.get('location');
      if (!session) throw new PlatformError('unavailable', 'No session was opened.');
      return { outcome: 'more', state: { session }, waitMs: 0 };
    },

    async commit({ caption, state, credentials }, signal) {
      const { session } = State.parse(state);
      const { bytes, half } = halve(caption);
      const range = `${half}-${bytes.length - 1}/${bytes.length}`;
      const last = { session, bytes: bytes.subarray(half), range };
      const { body } = await put(last, { mayRepeat: false, credentials, signal });
      if (body.id === undefined)
        throw new PlatformError('unknown_outcome', 'The answer names no post.');
      return { outcome: 'accepted', state: { session, postId: body.id } };
    },

    async confirm({ state, credentials }, signal) {
      const { postId } = State.parse(state);
      const path = `/posts/${postId}/status`;
      const check = { method: 'GET' as const, path, mayRepeat: true, credentials, signal };
      const { body } = await send({ ...check, answer: PostStatus }).catch((error: unknown) => {
        // The check was refused, not the post.
        const isRefused = error instanceof PlatformError && error.kind === 'rejected';
        throw isRefused ? new PlatformError('unavailable', error.message, error.options) : error;
      });
      if (body.status === 'processing') return { outcome: 'accepted', state };
      return {
        outcome: 'published',
        published: { externalId: postId!, url: body.url, visibility: 'public' },
      };
    },

    async reconcile(target, signal) {
      const { caption, credentials } = target;
      const opened = State.safeParse(target.state).data;
      if (!opened) return findByText(send, target, signal);
      const { session } = opened;
      const range = `*/${Buffer.byteLength(caption)}`;
      const { body } = await put({ session, range }, { mayRepeat: true, credentials, signal });
      if (body.id === undefined) return { outcome: 'absent' };
      return {
        outcome: 'published',
        published: { externalId: body.id, url: toUrl(body.id), visibility: 'public' },
      };
    },
  };
}
