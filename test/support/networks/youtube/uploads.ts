// The resumable uploads of the simulated YouTube.
// By https://developers.google.com/youtube/data/guides/using_resumable_upload_protocol and
// https://developers.google.com/youtube/data/reference/rest/v3/videos/insert, read on 2026-11-27. Stricter than YouTube may
// be: it refuses bytes that it has already.
import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import type { Route } from '../strict-requests.ts';
import {
  badRequest,
  GoogleError,
  notFound,
  quotaExceeded,
  uploadLimitExceeded,
} from './refusals.ts';

const maxBytes = 274_877_906_944;
const chunkUnit = 262_144;
const incomplete = 308;
/** Categories that a video can have in the United States. */
const categories = [
  '1',
  '2',
  '10',
  '15',
  '17',
  '19',
  '20',
  '22',
  '23',
  '24',
  '25',
  '26',
  '27',
  '28',
];

const plain = z.string().regex(/^[^<>]*$/);
const isShort = (tags: readonly string[]) =>
  tags.reduce((sum, tag) => sum + tag.length + (/ /.test(tag) ? 2 : 0), tags.length - 1) <= 500;
const Snippet = z.strictObject({
  title: plain.min(1).refine((title) => title.length <= 100),
  description: plain.refine((text) => Buffer.byteLength(text) <= 5_000).optional(),
  tags: z.array(plain.min(1)).refine(isShort).optional(),
  categoryId: z.enum(categories).optional(),
  defaultLanguage: z.string().optional(),
  defaultAudioLanguage: z.string().optional(),
});
/** An edit must name a category. */
export const EditedSnippet = Snippet.required({ categoryId: true });
const Status = z.strictObject({
  privacyStatus: z.enum(['public', 'unlisted', 'private']).optional(),
  selfDeclaredMadeForKids: z.boolean().optional(),
  containsSyntheticMedia: z.boolean().optional(),
});
/** Every member that an edit can set. */
export const EditedStatus = Status.extend({
  publishAt: z.iso.datetime().optional(),
  license: z.enum(['youtube', 'creativeCommon']).optional(),
  embeddable: z.boolean().optional(),
  publicStatsViewable: z.boolean().optional(),
});
const Metadata = z.strictObject({ snippet: Snippet, status: Status });
export interface Metadata extends z.infer<typeof Metadata> {
  status: z.infer<typeof EditedStatus>;
}

/** The reason of a refusal by the path of the metadata at fault. */
const reasons: Record<string, string> = {
  'snippet.title': 'invalidTitle',
  'snippet.description': 'invalidDescription',
  'snippet.tags': 'invalidTags',
  'snippet.categoryId': 'invalidCategoryId',
};

const flag = z.enum(['true', 'false']);
const InsertQuery = z.strictObject({
  uploadType: z.literal('resumable'),
  part: z.literal('snippet,status'),
  notifySubscribers: flag.optional(),
  // Google's own clients name the default form of answers.
  alt: z.literal('json').optional(),
});

interface Session {
  metadata: Metadata;
  notifySubscribers: boolean;
  /** Null: the request that began the upload didn't name it. */
  size: number | null;
  type: string;
  held: number;
  /** Hash of the bytes that YouTube holds. */
  hash: Hash;
  videoId: string | undefined;
  isGone: boolean;
}

export interface ReceivedChunk {
  start: number;
  bytes: number;
  isTaken: boolean;
}

/** A complete upload. */
export interface Uploaded extends Pick<Session, 'metadata' | 'notifySubscribers'> {
  bytes: number;
  sha256: string;
}

interface Settings {
  check(request: Request, ...scopes: string[]): void;
  /** Makes the video, and returns its ID. */
  add(uploaded: Uploaded): string;
  /** The video as an answer shows it. */
  show(id: string): unknown;
}

export function createUploads({ check, add, show }: Settings) {
  const sessions = new Map<string, Session>();
  const uploads = {
    sessions,
    /** Every chunk that arrived whole, in order. */
    chunks: [] as ReceivedChunk[],
    /** Uploads that the project may still begin today. */
    quota: 100,
    /** Uploads that the channel may still begin today. */
    channelQuota: 100,
    /** The status of a session that has ended. */
    goneStatus: 404 as 404 | 410,
    /** Ends every session that is not complete. */
    expireAll() {
      for (const session of sessions.values()) session.isGone ||= session.videoId === undefined;
    },
    /** Ends every session. A complete one leaves its video. */
    forgetAll() {
      for (const session of sessions.values()) session.isGone = true;
    },
    routes: [] as Route[],
  };

  async function insert(request: Request): Promise<Response> {
    check(request, 'youtube.upload', 'youtube');
    const { origin, pathname, searchParams } = new URL(request.url);
    const query = InsertQuery.safeParse(Object.fromEntries(searchParams.entries()));
    if (!query.success) throw badRequest(z.prettifyError(query.error), 'invalidParameter');
    if (uploads.quota === 0) throw quotaExceeded();
    uploads.quota--;
    const type = request.headers.get('x-upload-content-type') ?? '';
    if (!/^(video\/.+|application\/octet-stream)$/.test(type)) {
      throw badRequest(`Media type '${type}' is not supported.`, 'badContent');
    }
    const size = readSize(request.headers.get('x-upload-content-length'));
    const metadata = readBody(Metadata, await request.json().catch(() => undefined));
    if (uploads.channelQuota === 0) throw uploadLimitExceeded();
    uploads.channelQuota--;
    const id = `upload-${sessions.size + 1}-${'x'.repeat(20)}`;
    sessions.set(id, {
      metadata,
      notifySubscribers: query.data.notifySubscribers !== 'false',
      size,
      type,
      held: 0,
      hash: createHash('sha256'),
      videoId: undefined,
      isGone: false,
    });
    const host = request.headers.get('host');
    const at = host === null ? origin : `http://${host}`;
    const location = `${at}${pathname}?uploadType=resumable&upload_id=${id}`;
    return new Response(null, { headers: { location } });
  }

  async function put(request: Request): Promise<Response> {
    check(request, 'youtube.upload', 'youtube');
    const session = sessions.get(new URL(request.url).searchParams.get('upload_id') ?? '');
    if (!session) throw notFound('notFound', 'upload');
    if (session.isGone) {
      throw new GoogleError(uploads.goneStatus, 'notFound', 'The upload session has ended.');
    }
    if (session.videoId !== undefined) return Response.json(show(session.videoId));
    await receive(session, request);
    const { size, held, metadata, notifySubscribers, hash } = session;
    if (held < size!) {
      const headers = { ...(held > 0 && { range: `bytes=0-${held - 1}` }) };
      return new Response(null, { status: incomplete, headers });
    }
    const sha256 = hash.digest('hex');
    session.videoId = add({ metadata, notifySubscribers, bytes: held, sha256 });
    return Response.json(show(session.videoId), { status: 201 });
  }

  async function receive(session: Session, request: Request): Promise<void> {
    const header = request.headers.get('content-range') ?? '';
    const [, first, last, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(header) ?? [];
    session.size ??= Number(total);
    if (Number(total) !== session.size) throw badRequest(`Invalid range: ${header}`);
    const body = Buffer.from(await request.arrayBuffer());
    if (first === undefined) {
      if (body.length > 0) throw badRequest('A question has no bytes.');
      return;
    }
    const [start, end] = [Number(first), Number(last)];
    const isWhole = end < session.size && end - start + 1 === body.length;
    if (!isWhole) throw badRequest(`Those are not the bytes of ${header}`);
    const isLast = end === session.size - 1;
    const isTaken = start === session.held && (isLast || body.length % chunkUnit === 0);
    uploads.chunks.push({ start, bytes: body.length, isTaken });
    if (!isTaken) throw badRequest(`Invalid chunk: ${header}`);
    session.held += body.length;
    session.hash.update(body);
  }

  const path = /^\/upload\/youtube\/v3\/videos$/;
  uploads.routes = [
    { method: 'POST', path, handle: insert },
    { method: 'PUT', path, handle: put },
  ];
  return uploads;
}

function readSize(header: string | null): number | null {
  if (header === null) return null;
  const size = Number(header);
  if (Number.isInteger(size) && size > 0 && size <= maxBytes) return size;
  throw badRequest(`Invalid X-Upload-Content-Length: ${header}`);
}

export function readBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (!error) return data;
  const path = error.issues[0]!.path.slice(0, 2).join('.');
  throw badRequest(z.prettifyError(error), reasons[path] ?? 'invalidVideoMetadata');
}
