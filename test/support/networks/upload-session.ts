// A network like YouTube: it takes bytes in a session, publishes with the last chunk, and then processes the post.
import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import type { Credentials, Platform, Target } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { publishedAs } from '../../../activities/platforms/results.ts';
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
  type ServedNetwork,
} from './network.ts';
import { readBytes, readJson, Refusal, type Route } from './strict-requests.ts';
import type { Tokens } from './tokens.ts';

/** `text`: the text of a post whose bytes are a file. Absent: the bytes are the text. */
const NewSession = z.strictObject({
  size: z.int().min(2),
  text: z.string().optional(),
  reply_to: z.string().optional(),
});
const Uploaded = z.object({ id: z.string() });
const PostStatus = z.object({ status: z.enum(['processing', 'public']), url: z.string() });
/** `next`: the first byte that the network doesn't have. */
const State = z.object({ session: z.string(), next: z.int(), postId: z.string().optional() });
type Opened = z.infer<typeof State>;
const incomplete = 308;
const expired = 'session_expired';

export interface UploadNetwork extends ServedNetwork {
  /** The chunks that arrived whole, in order. */
  readonly chunks: readonly ReceivedChunk[];
  countSessions(): number;
  /** Ends every session that is not complete. */
  expireSessions(): void;
}

export interface ReceivedChunk {
  session: string;
  start: number;
  bytes: number;
  /** `repeated`: the network has the chunk already. `refused`: the chunk is not the next one. */
  taken: 'stored' | 'repeated' | 'refused';
}

/** `chunkBytes`: size of a file's chunks. A text is always sent in two chunks. */
export async function startUploads({ chunkBytes = 65_536 } = {}): Promise<UploadNetwork> {
  const sessions = new Map<string, Session>();
  const chunks: ReceivedChunk[] = [];
  const network = await startSimulation({
    routes: (tokens, posts) => routes(tokens, posts, sessions, chunks),
    connect: (send) => connectUploads(send, chunkBytes),
  });
  return {
    ...network,
    chunks,
    countSessions: () => sessions.size,
    expireSessions() {
      for (const session of sessions.values()) session.hasExpired = session.postId === null;
    },
  };
}

export const uploadSession: NetworkKind = {
  name: 'a network of upload sessions',
  start: () => startUploads(),
  calls: { prepare: 2, commit: 1, confirm: 2, reconcile: 1 },
  resolution: 'search',
  isUnavailableSafe: true,
  hasRefresh: true,
};

interface Session {
  size: number;
  /** Null: the bytes are the text. */
  text: string | null;
  replyTo: string | null;
  held: number;
  /** Hash of the bytes that the network holds. */
  hash: Hash;
  /** The bytes that the network holds, unless they are a file. */
  parts: Buffer[];
  postId: string | null;
  hasExpired: boolean;
}

function routes(
  tokens: Tokens,
  posts: PublicPost[],
  sessions: Map<string, Session>,
  chunks: ReceivedChunk[],
): Route[] {
  const checks = new Map<string, number>();
  return [
    listRoute(tokens, posts),
    {
      method: 'POST',
      path: /^\/sessions$/,
      async handle(request) {
        tokens.check(request);
        const { size, text, reply_to } = await readJson(request, NewSession);
        checkReplyTo(posts, reply_to);
        const location = `/sessions/${sessions.size + 1}`;
        sessions.set(location, {
          size,
          text: text ?? null,
          replyTo: reply_to ?? null,
          held: 0,
          hash: createHash('sha256'),
          parts: [],
          postId: null,
          hasExpired: false,
        });
        return Response.json({}, { status: 201, headers: { location } });
      },
    },
    {
      method: 'PUT',
      path: /^(\/sessions\/\d+)$/,
      async handle(request, [location = '']) {
        tokens.check(request);
        const session = sessions.get(location);
        if (!session || session.hasExpired) throw new Refusal(404, expired, 'It has ended.');
        const chunk = await receive(session, request);
        if (chunk) chunks.push({ session: location, ...chunk });
        const { held, size, text, parts, replyTo, hash } = session;
        if (held < size) {
          const headers = { ...(held > 0 && { range: `bytes=0-${held - 1}` }) };
          return Response.json({}, { status: incomplete, headers });
        }
        session.postId ??= addPost(posts, {
          text: text ?? Buffer.concat(parts).toString(),
          replyTo,
          options: { sha256: hash.digest('hex') },
        }).id;
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

/** Takes the bytes of one range. Undefined: the request has no bytes, and asks how much has arrived. */
async function receive(
  session: Session,
  request: Request,
): Promise<Omit<ReceivedChunk, 'session'> | undefined> {
  const header = request.headers.get('content-range') ?? '';
  const [, first, last, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(header) ?? [];
  if (Number(total) !== session.size) throw new Refusal(400, 'wrong_range', 'Name the range.');
  if (first === undefined) return undefined;
  const bytes = await readBytes(request);
  const [start, end] = [Number(first), Number(last)];
  const isWhole = end < session.size && end - start + 1 === bytes.length;
  if (!isWhole) throw new Refusal(400, 'wrong_range', 'Those are not the bytes of the range.');
  const chunk = { start, bytes: bytes.length };
  if (end < session.held) return { ...chunk, taken: 'repeated' };
  if (start !== session.held) return { ...chunk, taken: 'refused' };
  session.held += bytes.length;
  session.hash.update(bytes);
  if (session.text === null) session.parts.push(bytes);
  return { ...chunk, taken: 'stored' };
}

/** The content that is uploaded: the target's file, or its text. */
interface Content {
  size: number;
  chunkBytes: number;
  /** Offset of the last chunk. Sending the last chunk is the commit. */
  lastStart: number;
  open(range: { start: number; end: number }): ReadableStream<Uint8Array>;
}

function contentOf({ caption, media: [file] }: Target, chunkBytes: number): Content {
  const divide = (size: number, chunkBytes: number) => ({
    size,
    chunkBytes,
    lastStart: (Math.ceil(size / chunkBytes) - 1) * chunkBytes,
  });
  if (file) return { ...divide(file.bytes, chunkBytes), open: (range) => file.open(range) };
  const text = new Blob([caption]);
  return {
    ...divide(text.size, Math.ceil(text.size / 2)),
    open: ({ start, end }) => text.slice(start, end + 1).stream(),
  };
}

interface CallOptions {
  mayRepeat: boolean;
  credentials: Credentials;
  signal: AbortSignal;
}

/** The connector to the network. */
export function connectUploads(send: Send, chunkBytes: number): Platform {
  /**
   * Sends the bytes from `next` to `end`, or no bytes if `end` is absent. Undefined: the session has ended.
   */
  async function put({ size, open }: Content, at: Opened & { end?: number }, options: CallOptions) {
    const { session, next: start, end } = at;
    const upload = end && { body: open({ start, end: end - 1 }), bytes: end - start };
    const range = end ? `${start}-${end - 1}` : '*';
    try {
      const { status, headers, body } = await send({
        method: 'PUT',
        path: session,
        headers: { 'content-range': `bytes ${range}/${size}` },
        ...(upload && { upload }),
        accepts: [incomplete],
        answer: Uploaded.partial(),
        ...options,
      });
      const last = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '')?.[1];
      return { status, postId: body.id, next: last === undefined ? 0 : Number(last) + 1 };
    } catch (error) {
      if (error instanceof PlatformError && error.options.platformCode === expired)
        return undefined;
      throw error;
    }
  }

  return {
    // Repeats are safe at this network, but a connector that doesn't know that must check first.
    definition: simulatedDefinition,
    connect: [],
    refresh: createRefresh(send),

    async prepare(target, signal) {
      const { caption, media, replyTo, credentials, state } = target;
      const content = contentOf(target, chunkBytes);
      const { size, lastStart } = content;
      const step = (opened: Opened) =>
        opened.next < lastStart
          ? ({ outcome: 'more', state: opened, waitMs: 0 } as const)
          : ({ outcome: 'prepared', state: opened } as const);
      const options = { mayRepeat: true, credentials, signal };
      const opened = State.safeParse(state).data;
      if (opened) {
        const end = Math.min(opened.next + content.chunkBytes, lastStart);
        const answer = await put(content, { ...opened, end }, options);
        if (!answer) return { outcome: 'more', state: {}, waitMs: 0 };
        return step({ ...opened, next: answer.next });
      }
      const text = media.length > 0 && { text: caption };
      const json = { size, ...text, ...(replyTo !== null && { reply_to: replyTo }) };
      const answer = await send({ path: '/sessions', json, answer: z.object({}), ...options });
      const session = answer.headers.get('location');
      if (!session) throw new PlatformError('unavailable', 'No session was opened.');
      return step({ session, next: 0 });
    },

    async commit(target, signal) {
      const { credentials } = target;
      const opened = State.parse(target.state);
      const content = contentOf(target, chunkBytes);
      const last = { ...opened, end: content.size };
      const answer = await put(content, last, { mayRepeat: false, credentials, signal });
      if (!answer || answer.status === incomplete) return { outcome: 'stale' };
      if (answer.postId === undefined) {
        throw new PlatformError('unknown_outcome', 'The answer names no post.');
      }
      return { outcome: 'accepted', state: { ...opened, postId: answer.postId } };
    },

    async confirm({ state, credentials }, signal) {
      const { postId } = State.parse(state);
      const path = `/posts/${postId}/status`;
      const check = { method: 'GET' as const, path, mayRepeat: true, credentials, signal };
      const { body } = await send({ ...check, answer: PostStatus }).catch((error: unknown) => {
        // The network refused the check, not the post.
        const isRefused = error instanceof PlatformError && error.kind === 'rejected';
        throw isRefused ? new PlatformError('unavailable', error.message, error.options) : error;
      });
      if (body.status === 'processing') return { outcome: 'accepted', state };
      return publishedAs(postId!, body.url, 'public');
    },

    async reconcile(target, signal) {
      const { credentials } = target;
      const opened = State.safeParse(target.state).data;
      const content = contentOf(target, chunkBytes);
      const options = { mayRepeat: true, credentials, signal };
      const answer = opened && (await put(content, opened, options));
      if (!answer) return findByText(send, target, signal);
      if (answer.postId === undefined) return { outcome: 'absent' };
      return publishedAs(answer.postId, toUrl(answer.postId), 'public');
    },
  };
}
