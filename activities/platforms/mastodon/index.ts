// Mastodon: statuses of an account, on the server that its user names.
import { z } from 'zod';
import { mastodon } from '../../../schema/platforms/mastodon.ts';
import type { Fetch, Platform } from '../platform.ts';
import { createMastodonApi } from './client.ts';
import { connectAccount, ConnectInput } from './connect.ts';
import { findStatus, Status, toPublished } from './find-status.ts';

/** @see https://docs.joinmastodon.org/entities/Status/#visibility */
const Answered = z.object({ visibility: z.string() });

/** No `revoke`: `/oauth/revoke` asks for the secret of the user's application, which we don't have. */
export function createMastodon({ fetch }: { fetch: Fetch }): Platform {
  const open = createMastodonApi(fetch);
  return {
    ...mastodon,

    connect: {
      credentials: ConnectInput,
      run: (credentials, signal) => connectAccount(open(credentials, signal), credentials),
    },

    /**
     * A server would publish an answer to a private post as the account's other posts, so it is kept
     * among those who see that post.
     */
    async prepare({ replyTo, credentials }, signal) {
      if (replyTo === null) return {};
      const path = `/api/v1/statuses/${encodeURIComponent(replyTo)}`;
      const { visibility } = (await open(credentials, signal)(path, Answered)).body;
      return visibility === 'private' || visibility === 'direct' ? { visibility } : {};
    },

    /** @see https://docs.joinmastodon.org/methods/statuses/#create */
    async commit({ resultId, credentials, caption, replyTo, platformOptions, state }, signal) {
      const json = {
        status: caption.toWellFormed(),
        visibility: state['visibility'],
        ...platformOptions,
        in_reply_to_id: replyTo ?? undefined,
      };
      const call = { kind: 'commit', json, headers: { 'idempotency-key': resultId } } as const;
      const { body, throttle } = await open(credentials, signal)('/api/v1/statuses', Status, call);
      return { outcome: 'published', published: toPublished(body), throttle };
    },

    reconcile: (target, signal) => findStatus(open(target.credentials, signal), target),
  };
}
