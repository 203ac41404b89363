// Matrix: messages of one user in one room, on the server that the user names.
import { z } from 'zod';
import { matrix } from '../../../schema/platforms/matrix.ts';
import type { Fetch, Platform, Published, ReconcileOutcome, Target } from '../platform.ts';
import { createSend, type Send } from './client.ts';
import { connect, ConnectInput } from './connect.ts';

const Sent = z.object({ event_id: z.string().regex(matrix.rules.replies.id) });

/** The key is ours: https://spec.matrix.org/v1.18/appendices/#common-namespaced-identifier-grammar */
const markKey = 'dev.fanfare.result_id';
const Page = z.object({
  chunk: z.array(
    z.object({
      event_id: z.string(),
      origin_server_ts: z.number(),
      content: z.looseObject({ [markKey]: z.unknown().optional() }),
    }),
  ),
  end: z.string().optional(),
});

const pageSize = 100;
const maxPages = 5;
/** How far the server's clock may be behind ours. */
const clockErrorMs = 60_000;

export function createMatrix({ fetch }: { fetch: Fetch }): Platform {
  const send = createSend(fetch);
  return {
    ...matrix,

    connect: {
      credentials: ConnectInput,
      run: (credentials, signal) => connect(send, credentials, signal),
    },

    /** @see https://spec.matrix.org/v1.18/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
    async commit(target, signal) {
      const { credentials, resultId, caption, replyTo, platformOptions } = target;
      const { event_id } = await send({
        credentials,
        kind: 'commit',
        method: 'PUT',
        path: `${roomPath(target)}/send/m.room.message/${resultId}`,
        json: {
          msgtype: platformOptions['is_notice'] === true ? 'm.notice' : 'm.text',
          body: caption.toWellFormed(),
          [markKey]: resultId,
          ...(replyTo !== null && { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } }),
        },
        answer: Sent,
        signal,
      });
      return { outcome: 'published', published: toPublished(target, event_id) };
    },

    reconcile: (target, signal) => findMessage(send, target, signal),
  };
}

/** @see https://spec.matrix.org/v1.18/client-server-api/#get_matrixclientv3roomsroomidmessages */
async function findMessage(
  send: Send,
  target: Target,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  const { credentials, resultId, dueAt } = target;
  const since = dueAt.getTime() - clockErrorMs;
  const query = new URLSearchParams({ dir: 'b', limit: String(pageSize) });
  for (let page = 0; page < maxPages; page++) {
    const path = `${roomPath(target)}/messages?${query.toString()}`;
    const call = { credentials, kind: 'other', path, answer: Page, signal } as const;
    const { chunk, end } = await send(call);
    const found = chunk.find(({ content }) => content[markKey] === resultId);
    if (found) return { outcome: 'published', published: toPublished(target, found.event_id) };
    if (end === undefined || chunk.some((event) => event.origin_server_ts < since)) {
      return { outcome: 'absent' };
    }
    query.set('from', end);
  }
  return { outcome: 'unknown' };
}

const roomPath = ({ credentials }: Target) => `/rooms/${encodeURIComponent(credentials['room']!)}`;

/** @see https://spec.matrix.org/v1.18/appendices/#matrixto-navigation */
function toPublished({ credentials }: Target, eventId: string): Published {
  const place = [credentials['room']!, eventId].map(encodeURIComponent).join('/');
  return { externalId: eventId, url: `https://matrix.to/#/${place}` };
}
