// Mastodon: statuses of an account on any server.
import { z } from 'zod';
import { mastodon } from '../../../schema/platforms/mastodon.ts';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi } from '../network-api.ts';
import type { Fetch, Platform } from '../platform.ts';
import { preparedAs } from '../results.ts';
import type { Explanation } from '../refusal.ts';
import { connectAccount, ConnectInput } from './connect.ts';
import { findStatus, Status, toPublished } from './find-status.ts';

/** @see https://docs.joinmastodon.org/entities/Status/#visibility */
const Answered = z.object({ visibility: z.string() });

/** No `revoke`: `/oauth/revoke` requires the secret of the user's application, which we don't have. */
export function createMastodon({ fetch }: { fetch: Fetch }): Platform {
  const open = createApi(fetch, {
    network: 'Mastodon',
    open: ({ server = '', access_token: token = '' }) => ({
      url: server,
      headers: { authorization: `Bearer ${token}` },
      secrets: [token],
    }),
    readRefusal,
  });
  return {
    definition: mastodon,

    connect: [
      {
        kind: 'form',
        fields: ConnectInput,
        run: (credentials, signal) => connectAccount(open(credentials, signal), credentials),
      },
    ],

    /**
     * Without this, a server would use the account's default visibility for replies to private posts. This
     * one keeps them among the readers of that post.
     */
    async prepare({ replyTo, credentials }, signal) {
      if (replyTo === null) return preparedAs({});
      const path = `/api/v1/statuses/${encodeURIComponent(replyTo)}`;
      const { visibility } = (await open(credentials, signal)(path, Answered)).body;
      const isLimited = visibility === 'private' || visibility === 'direct';
      return preparedAs(isLimited ? { visibility } : {});
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
      return { ...toPublished(body), throttle };
    },

    reconcile: (target, signal) => findStatus(open(target.credentials, signal), target),
  };
}

/**
 * Whether a 403 refuses the login, not the post. Mastodon doesn't translate these texts. @see
 * https://docs.joinmastodon.org/methods/accounts/#403-forbidden
 */
const endsAccess = /^(This action is outside the authorized scopes$|Your login is )/;

/** The status is the only code. Tokens don't expire, so a refused token was revoked. */
function readRefusal({ status, body }: NetworkAnswer): Explanation {
  const message = z.object({ error: z.string() }).safeParse(body).data?.error;
  const isRevoked = status === 401 || (status === 403 && endsAccess.test(message ?? ''));
  return { code: String(status), message, verdict: isRevoked ? 'revoked' : undefined };
}
