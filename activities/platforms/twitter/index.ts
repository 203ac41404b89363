// X: posts of an account, through an app of the operator or the project.
import { z } from 'zod';
import type { PlatformSettings } from '../../../schema/platforms/index.ts';
import { replyLimit, twitter } from '../../../schema/platforms/twitter.ts';
import type { Ask } from '../network-api.ts';
import { createOAuth, createOAuthLogin } from '../oauth/client.ts';
import { goneIf, hasCode, PlatformError } from '../platform-error.ts';
import type {
  CommitOutcome,
  Credentials,
  Fetch,
  Platform,
  PublishedPost,
  Target,
} from '../platform.ts';
import { createTwitterApi, duplicateCode, readDailyLimit } from './api.ts';
import { findPost, toPublished } from './find-post.ts';
import { findUploads, prepareMedia } from './media.ts';

/** @see https://docs.x.com/x-api/users/get-my-user */
const Me = z.object({
  data: z.object({
    id: z.string().regex(/^\d{1,19}$/),
    username: z.string().regex(/^\w+$/),
    subscription_type: z.string().optional(),
  }),
});

/** @see https://docs.x.com/x-api/posts/create-post */
const Created = z.object({ data: z.object({ id: z.string().regex(twitter.rules.replies.id) }) });

const Deleted = z.object({ data: z.object({ deleted: z.boolean() }) });
const Looked = z.object({
  data: z.object({ id: z.string() }).optional(),
  errors: z.array(z.object({ type: z.string().optional() })).default([]),
});

type Settings = Pick<PlatformSettings['twitter'], 'apiUrl' | 'consentUrl' | 'reconcile'> & {
  fetch: Fetch;
};

export function createTwitter({ fetch, apiUrl, consentUrl, reconcile }: Settings): Platform {
  const open = createTwitterApi(fetch, apiUrl);
  const canRead = reconcile === 'read';
  const oauth = createOAuth(fetch, {
    network: 'X',
    authorizationEndpoint: consentUrl,
    // https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
    tokenEndpoint: `${apiUrl}/2/oauth2/token`,
    revocationEndpoint: `${apiUrl}/2/oauth2/revoke`,
    endsTokensAlone: true,
    clientAuth: 'basic',
    // `offline.access` asks for a refresh token.
    scopes: [...twitter.scopes, 'offline.access'],
    needsRefreshToken: true,
    endsLogin,
  });

  async function listAccounts(credentials: Credentials, signal: AbortSignal) {
    const ask = open(credentials, signal);
    const asked = { query: { 'user.fields': 'subscription_type' } };
    const { id, username, subscription_type } = (await ask('/users/me', Me, asked)).body.data;
    const account = {
      externalAccountId: id,
      accountName: `@${username}`,
      traits: { username, ...(subscription_type && { subscription: subscription_type }) },
      problem: null,
    };
    return [account];
  }

  const { consent, inspect, ...login } = createOAuthLogin(oauth, listAccounts);
  return {
    definition: twitter,

    connect: [consent],

    ...login,

    prepare: (target, signal) => prepareMedia(open(target.credentials, signal), target),

    async commit(target, signal) {
      const uploads = findUploads(target);
      if (!uploads) return { outcome: 'stale' };
      const ask = open(target.credentials, signal);
      const media = uploads.map(({ id }) => id);
      const call = { kind: 'commit', json: toPost(target, media) } as const;
      try {
        const { body, headers, throttle } = await ask('/tweets', Created, call);
        const published = toPublished(target, body.data.id);
        return { ...published, throttle: readDailyLimit(headers) ?? throttle };
      } catch (error) {
        if (!canRead || !hasCode(error, duplicateCode)) throw explainReply(error, target);
        return afterDuplicate(ask, target, error);
      }
    },

    ...(canRead && {
      reconcile: (target, signal) => findPost(open(target.credentials, signal), target),
    }),

    unpublish: {
      /** @see https://docs.x.com/x-api/posts/delete-post */
      async remove({ credentials, externalId }, signal) {
        const call = { kind: 'commit', method: 'DELETE' } as const;
        const asked = open(credentials, signal)(`/tweets/${externalId}`, Deleted, call);
        const { body } = await asked.catch(goneIf('resource-not-found'));
        if (!body.data.deleted) throw new PlatformError('rejected', 'X did not delete the post.');
      },
      ...(canRead && {
        /** @see https://docs.x.com/x-api/posts/get-post-by-id */
        async exists({ credentials, externalId }: PublishedPost, signal: AbortSignal) {
          const asked = open(credentials, signal)(`/tweets/${externalId}`, Looked);
          const { data, errors } = (await asked).body;
          if (data?.id === externalId) return true;
          // X answers 200 with an error for a post that is gone.
          if (errors.some(({ type }) => type?.endsWith('/resource-not-found'))) return false;
          throw new PlatformError('unavailable', 'X does not say whether it has the post.');
        },
      }),
    },

    revoke: (login, signal) => oauth.revoke(login, signal),

    checks: { inspect },
  };
}

function toPost({ caption, replyTo, platformOptions }: Target, media_ids: string[]) {
  return {
    ...(caption !== '' && { text: caption.toWellFormed() }),
    ...platformOptions,
    ...(media_ids.length > 0 && { media: { media_ids } }),
    ...(replyTo !== null && { reply: { in_reply_to_tweet_id: replyTo } }),
  };
}

/** X's own words to a refused reply are not documented, and it has no code for it. */
function explainReply(error: unknown, { replyTo }: Target): unknown {
  if (replyTo === null || !hasCode(error, '403') || error.kind !== 'rejected') return error;
  return new PlatformError('rejected', `${error.message} ${replyLimit}`, error.options);
}

/**
 * X refuses a text that the account has posted before, either by an earlier commit of this target or by
 * another post.
 */
async function afterDuplicate(
  ask: Ask,
  target: Target,
  refusal: PlatformError,
): Promise<CommitOutcome> {
  const found = await findPost(ask, target).catch((error: unknown) => {
    throw error instanceof PlatformError && error.kind === 'rejected' ? refusal : error;
  });
  if (found.outcome === 'published') return found;
  if (found.outcome === 'absent') throw refusal;
  throw refusal.as('unknown_outcome');
}

/** X answers a dead refresh token with `invalid_request`, like a request that it can't read. */
function endsLogin(code: string, description = ''): boolean {
  return (
    code === 'invalid_grant' ||
    (code === 'invalid_request' && /token was invalid/i.test(description))
  );
}
