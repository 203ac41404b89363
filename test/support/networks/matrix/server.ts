// A Matrix homeserver with one user and one room, strict about what it is sent.
// Endpoints, fields and errors: https://spec.matrix.org/v1.18/client-server-api/, read on 2026-11-22.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';

export const room = '!fanfare:matrix.test';
export const encryptedRoom = '!secret:matrix.test';
const user = '@fanfare:matrix.test';
const markKey = 'dev.fanfare.result_id';
const maxEventBytes = 65_536;

const Content = z.strictObject({
  msgtype: z.enum(['m.text', 'm.notice']),
  body: z.string(),
  [markKey]: z.string(),
  'm.relates_to': z
    .strictObject({ 'm.in_reply_to': z.strictObject({ event_id: z.string() }) })
    .optional(),
});

interface Event {
  event_id: string;
  type: 'm.room.message';
  sender: string;
  origin_server_ts: number;
  content: z.infer<typeof Content>;
}

export interface MatrixServer extends NetworkServer {
  readonly token: string;
  listPosts(): PublicPost[];
}

class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly errcode: string;

  constructor(status: number, errcode: string, message: string) {
    super(message);
    this.status = status;
    this.errcode = errcode;
  }

  toResponse(more: object = {}, headers: Record<string, string> = {}): Response {
    const body = { errcode: this.errcode, error: this.message, ...more };
    return Response.json(body, { status: this.status, headers });
  }
}

export function createMatrixServer(): MatrixServer {
  const token = 'syt_ZmFuZmFyZQ_QWxhZGRpbjpvcGVu_1x2y3z';
  const events: Event[] = [];
  const sent = new Map<string, string>();
  let isRevoked = false;

  function checkToken({ headers }: Request): void {
    const given = headers.get('authorization');
    if (given === null) throw new Refusal(401, 'M_MISSING_TOKEN', 'Missing access token');
    if (isRevoked || given !== `Bearer ${token}`) {
      throw new Refusal(401, 'M_UNKNOWN_TOKEN', 'Invalid access token passed.');
    }
  }

  function checkRoom(id: string): void {
    if (id === room || id === encryptedRoom) return;
    throw new Refusal(403, 'M_FORBIDDEN', `User ${user} not in room ${id}`);
  }

  function put(txnId: string, content: z.infer<typeof Content>): Event {
    const known = events.find(({ event_id }) => event_id === sent.get(txnId));
    if (known) return known;
    if (Buffer.byteLength(JSON.stringify(content)) > maxEventBytes) {
      throw new Refusal(413, 'M_TOO_LARGE', 'event too large');
    }
    const hash = createHash('sha256').update(`${txnId} ${events.length}`).digest('base64url');
    const event: Event = {
      event_id: `$${hash}`,
      type: 'm.room.message',
      sender: user,
      origin_server_ts: Date.now(),
      content,
    };
    events.push(event);
    sent.set(txnId, event.event_id);
    return event;
  }

  async function handle(request: Request): Promise<object> {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.replace(/^\/_matrix\/client\/v3/, '');
    if (path === pathname) throw new Refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    checkToken(request);
    const [call, id = '', rest = ''] = /^\/rooms\/([^/]+)\/(.+)$/.exec(path) ?? [];
    if (path === '/account/whoami') return { user_id: user, device_id: 'FANFARE', is_guest: false };
    if (call === undefined) throw new Refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    checkRoom(decodeURIComponent(id));
    const txnId = /^send\/m\.room\.message\/([\w.-]{1,255})$/.exec(rest)?.[1];
    if (request.method === 'PUT' && txnId !== undefined) {
      const content = Content.safeParse(await request.json().catch(() => undefined));
      if (!content.success) throw new Refusal(400, 'M_BAD_JSON', z.prettifyError(content.error));
      return { event_id: put(txnId, content.data).event_id };
    }
    if (request.method !== 'GET') throw new Refusal(405, 'M_UNRECOGNIZED', 'Unrecognized request');
    if (rest === 'state/m.room.encryption/') {
      if (decodeURIComponent(id) === encryptedRoom) return { algorithm: 'm.megolm.v1.aes-sha2' };
      throw new Refusal(404, 'M_NOT_FOUND', 'Event not found.');
    }
    if (rest === 'messages') return listMessages(searchParams);
    throw new Refusal(404, 'M_UNRECOGNIZED', 'Unrecognized request');
  }

  /** Tokens count from the newest event. */
  function listMessages(query: URLSearchParams): object {
    if (query.get('dir') !== 'b') {
      throw new Refusal(400, 'M_INVALID_PARAM', 'dir must be one of [b, f]');
    }
    const start = Number(query.get('from') ?? 0);
    const end = start + Number(query.get('limit') ?? 10);
    const chunk = events.toReversed().slice(start, end);
    return { start: String(start), chunk, ...(end < events.length && { end: String(end) }) };
  }

  return {
    token,
    async answer(request) {
      try {
        return Response.json(await handle(request));
      } catch (error) {
        if (error instanceof Refusal) return error.toResponse();
        throw error;
      }
    },
    refuse,
    revokeToken() {
      isRevoked = true;
    },
    listPosts: () =>
      events.map(({ event_id, content }) => ({
        id: event_id,
        text: content.body,
        replyTo: content['m.relates_to']?.['m.in_reply_to'].event_id ?? null,
        options: { msgtype: content.msgtype },
      })),
  };
}

function refuse(kind: RefusalKind): Response {
  const limited = new Refusal(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests');
  switch (kind) {
    case 'limited':
      return limited.toResponse();
    case 'limited_with_retry_after':
      return limited.toResponse({ retry_after_ms: 1_000 }, { 'retry-after': '1' });
    case 'unavailable':
      return new Response('<h1>502 Bad Gateway</h1>', { status: 502 });
    case 'error':
      return new Refusal(500, 'M_UNKNOWN', 'Internal server error').toResponse();
    case 'rejected':
      return new Refusal(403, 'M_FORBIDDEN', 'You may not post to the room').toResponse();
  }
}
