// Mastodon: statuses of an account on any server.
import { z } from 'zod';
import { mastodon } from '../../../schema/platforms/mastodon.ts';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, withToken, type Ask } from '../network-api.ts';
import { goneIf, hasCode, isThere } from '../platform-error.ts';
import type { Fetch, Platform, ProviderState } from '../platform.ts';
import type { Explanation } from '../refusal.ts';
import { wrongCredential } from '../wrong-credential.ts';
import { connectAccount, ConnectInput } from './connect.ts';
import { createConsent } from './consent.ts';
import { editStatus, isEdited, pathOf } from './edit-status.ts';
import { findStatus, Status, toPublished } from './find-status.ts';
import { prepareMedia, uploadedIds } from './media.ts';

/** @see https://docs.joinmastodon.org/entities/Status/#visibility */
const Answered = z.object({ visibility: z.string() });

export function createMastodon({ fetch }: { fetch: Fetch }): Platform {
  const open = createApi(fetch, {
    network: 'Mastodon',
    open: ({ server = '', access_token }) => withToken(server, access_token),
    readRefusal,
  });
  const { method, revoke } = createConsent(fetch, open);
  return {
    definition: mastodon,

    connect: [
      method,
      {
        kind: 'form',
        fields: ConnectInput,
        run: (credentials, signal) => connectAccount(open(credentials, signal), credentials),
      },
    ],

    async importTokens({ accessToken, expiresAt, scope, instance }, signal) {
      if (instance === null) throw wrongCredential('server', 'is required', 'required');
      const given = { server: instance, access_token: accessToken };
      const { data, error } = ConnectInput.safeParse(given);
      if (!data) throw wrongCredential(String(error.issues[0]!.path[0]), error.issues[0]!.message);
      const grant = await connectAccount(open(data, signal), data);
      const reported = grant.scope.length > 0 ? grant.scope : (scope ?? []);
      return { ...grant, scope: reported, tokenExpiresAt: expiresAt };
    },

    async prepare(target, signal) {
      const { replyTo, credentials, state } = target;
      const ask = open(credentials, signal);
      const isFirst = Object.keys(state).length === 0;
      const visibility = isFirst && replyTo !== null ? await findVisibility(ask, replyTo) : {};
      return prepareMedia(ask, target, { ...state, ...visibility });
    },

    /** @see https://docs.joinmastodon.org/methods/statuses/#create */
    async commit({ resultId, credentials, caption, replyTo, platformOptions, state }, signal) {
      const ids = uploadedIds(state);
      const json = {
        status: caption.toWellFormed(),
        visibility: state['visibility'],
        ...platformOptions,
        in_reply_to_id: replyTo ?? undefined,
        media_ids: ids.length > 0 ? ids : undefined,
      };
      const call = { kind: 'commit', json, headers: { 'idempotency-key': resultId } } as const;
      try {
        const ask = open(credentials, signal);
        const { body, throttle } = await ask('/api/v1/statuses', Status, call);
        return { ...toPublished(body), throttle };
      } catch (error) {
        if (lacksMedia(error, ids)) return { outcome: 'stale' };
        throw error;
      }
    },

    reconcile: (target, signal) => findStatus(open(target.credentials, signal), target),

    revoke,

    unpublish: {
      /** @see https://docs.joinmastodon.org/methods/statuses/#delete */
      async remove({ credentials, externalId }, signal) {
        const call = { kind: 'commit', method: 'DELETE' } as const;
        const asked = open(credentials, signal)(pathOf(externalId), z.unknown(), call);
        await asked.catch(goneIf('404'));
      },

      /** @see https://docs.joinmastodon.org/methods/statuses/#get */
      exists: ({ credentials, externalId }, signal) =>
        isThere(open(credentials, signal)(pathOf(externalId), z.unknown()).catch(goneIf('404'))),
    },

    edit: {
      apply: (post, signal) => editStatus(open(post.credentials, signal), post),
      isApplied: (post, signal) => isEdited(open(post.credentials, signal), post),
    },

    checks: {
      inspect: ({ credentials }, signal) => connectAccount(open(credentials, signal), credentials),
    },
  };
}

/**
 * Keeps replies to a private post among the readers of that post. Without a visibility, a server would use the
 * account's default.
 */
async function findVisibility(ask: Ask, replyTo: string): Promise<ProviderState> {
  const { visibility } = (await ask(pathOf(replyTo), Answered)).body;
  return visibility === 'private' || visibility === 'direct' ? { visibility } : {};
}

/**
 * Whether the server has deleted an upload, as it does after a day, or attached it to another post. The error names
 * the upload, in the user's language: https://github.com/mastodon/mastodon/blob/main/config/locales/en.yml
 * (media_attachments.validations.not_found). GoToSocial answers 400.
 */
function lacksMedia(error: unknown, ids: string[]): boolean {
  if (!hasCode(error, '422') && !hasCode(error, '400')) return false;
  const words = error.message.split(/[^\w-]+/);
  return ids.some((id) => words.includes(id));
}

/**
 * Whether a 403 refuses the login, not the post. Mastodon doesn't translate these texts. @see
 * https://docs.joinmastodon.org/methods/accounts/#403-forbidden
 */
const endsAccess = /^(This action is outside the authorized scopes$|Your login is )/;

/** Comes with status 500, untranslated. @see https://docs.joinmastodon.org/methods/media/#500-server-error */
const unreadable = 'Error processing thumbnail for uploaded media';

/**
 * The status is the only code. Tokens don't expire, so a refused token was revoked. A 404 without the form of
 * Mastodon's errors is a page of a proxy in front of the server, and says nothing about a post.
 */
function readRefusal({ status, body }: NetworkAnswer): Explanation {
  const message = z.object({ error: z.string() }).safeParse(body).data?.error;
  if (status === 404 && message === undefined) return { meaning: 'unavailable' };
  const isRevoked = status === 401 || (status === 403 && endsAccess.test(message ?? ''));
  const meaning = isRevoked ? 'revoked' : message === unreadable ? 'rejected' : undefined;
  return { code: String(status), message, meaning };
}
