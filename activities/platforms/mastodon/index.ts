// Mastodon: statuses of an account, on the server that its user names.
import { mastodon } from '../../../schema/platforms/mastodon.ts';
import type { Fetch, Platform } from '../platform.ts';
import { createSend, readThrottle } from './client.ts';
import { connectAccount, ConnectInput } from './connect.ts';
import { findStatus, Status, toPublished } from './find-status.ts';
import { prepareReply } from './reply.ts';

/** No `revoke`: `/oauth/revoke` asks for the secret of the user's application, which we don't have. */
export function createMastodon({ fetch }: { fetch: Fetch }): Platform {
  const send = createSend(fetch);

  return {
    ...mastodon,

    connect: {
      credentials: ConnectInput,
      run: (credentials, signal) => connectAccount(send, credentials, signal),
    },

    prepare: (target, signal) => prepareReply(send, target, signal),

    /** @see https://docs.joinmastodon.org/methods/statuses/#create */
    async commit({ resultId, credentials, caption, replyTo, platformOptions, state }, signal) {
      const { body, headers } = await send({
        credentials,
        path: '/api/v1/statuses',
        kind: 'commit',
        json: {
          status: caption.toWellFormed(),
          visibility: state['visibility'],
          ...platformOptions,
          ...(replyTo !== null && { in_reply_to_id: replyTo }),
        },
        headers: { 'idempotency-key': resultId },
        answer: Status,
        signal,
      });
      const throttle = readThrottle(headers);
      return { outcome: 'published', published: toPublished(body), throttle };
    },

    reconcile: (target, signal) => findStatus(send, target, signal),
  };
}
