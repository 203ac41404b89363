// LinkedIn: posts of a member, or of a page that the member administers.
import { z } from 'zod';
import { linkedin } from '../../../schema/platforms/linkedin.ts';
import type { Ask } from '../network-api.ts';
import { createOAuth, createOAuthLogin } from '../oauth/client.ts';
import { hasCode } from '../platform-error.ts';
import type { CommitOutcome, Platform, Target } from '../platform.ts';
import { toUnexpectedAnswer } from '../refusal.ts';
import {
  connectToken,
  ConsentInput,
  listAccounts,
  organizationUrn,
  TokenInput,
} from './accounts.ts';
import { findComment, postComment } from './comment.ts';
import { createLinkedInApi, network, type LinkedInSettings } from './client.ts';
import { toLittleText } from './little-text.ts';
import { prepareMedia } from './media.ts';
import { findPost, PostUrn, toPost, toPublished } from './post.ts';

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api */
const pathOf = (urn: string) => `/posts/${encodeURIComponent(urn)}`;

/** No `revoke`, because LinkedIn documents no such call. Members end a login in their own settings. */
export function createLinkedIn(settings: LinkedInSettings): Platform {
  const { fetch, apiUrl, loginUrl, scopes } = settings;
  const open = createLinkedInApi(settings);
  // https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
  const oauth = createOAuth(fetch, {
    network,
    authorizationEndpoint: `${loginUrl}/authorization`,
    tokenEndpoint: `${loginUrl}/accessToken`,
    clientAuth: 'post',
    scopes,
    // LinkedIn accepts a code challenge only at a separate endpoint, for apps without a secret:
    // https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow-native
    // LinkedIn refuses a `code_verifier` in addition to a secret: https://github.com/teamhanko/hanko/pull/2405
    hasPkce: false,
  });

  // LinkedIn gives refresh tokens to approved partners only. Refresh tokens last for a year from the login,
  // and stay the same:
  // https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens
  const { consent, inspect, ...login } = createOAuthLogin(oauth, (credentials, signal, scope) =>
    listAccounts(open(credentials, signal), scope, scopes),
  );

  return {
    definition: linkedin,

    connect: [
      {
        ...consent,
        inputs: ConsentInput,
        // https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
        denials: ['user_cancelled_login', 'user_cancelled_authorize'],
      },
      {
        kind: 'form',
        fields: TokenInput,
        run: (credentials, signal) => connectToken(open(credentials, signal), credentials, scopes),
      },
    ],

    ...login,

    prepare(target, signal) {
      const { rest } = open(target.credentials, signal);
      return prepareMedia({ rest, fetch, apiUrl, signal }, target);
    },

    commit(target, signal) {
      const { rest } = open(target.credentials, signal);
      const { replyTo } = target;
      return replyTo === null ? publish(rest, target) : postComment(rest, replyTo, target);
    },

    reconcile(target, signal) {
      const { rest } = open(target.credentials, signal);
      const { replyTo } = target;
      return replyTo === null ? findPost(rest, target) : findComment(rest, replyTo, target);
    },

    /** A deletion of a post that is gone succeeds, too. Most logins may not read their posts. */
    unpublish: {
      async remove({ credentials, externalId }, signal) {
        const call = {
          kind: 'commit',
          method: 'DELETE',
          headers: { 'x-restli-method': 'DELETE' },
        } as const;
        await open(credentials, signal).rest(pathOf(externalId), z.unknown(), call);
      },
    },

    edit: {
      async apply({ credentials, externalId, caption }, signal) {
        const json = { patch: { $set: { commentary: toLittleText(caption) } } };
        const headers = { 'x-restli-method': 'PARTIAL_UPDATE' };
        const call = { kind: 'commit', json, headers } as const;
        await open(credentials, signal).rest(pathOf(externalId), z.unknown(), call);
      },
    },

    checks: {
      inspect(target, signal) {
        const [, organization] = organizationUrn.exec(target.externalAccountId) ?? [];
        // A pasted token can have scopes that this installation may not ask for.
        if (target.scope !== null || organization === undefined) return inspect(target, signal);
        const credentials = { ...target.credentials, organization };
        return connectToken(open(target.credentials, signal), credentials, scopes);
      },
    },
  };
}

async function publish(rest: Ask, target: Target): Promise<CommitOutcome> {
  const json = toPost(target);
  try {
    const { headers, throttle } = await rest('/posts', z.unknown(), { kind: 'commit', json });
    const urn = PostUrn.safeParse(headers.get('x-restli-id'));
    if (!urn.success) throw toUnexpectedAnswer(network, 'commit');
    return { ...toPublished(urn.data, json.visibility), throttle };
  } catch (error) {
    if (hasCode(error, 'MEDIA_ASSET_WAITING_UPLOAD')) return { outcome: 'stale' };
    if (!hasCode(error, 'DUPLICATE_POST')) throw error;
    // The post that LinkedIn names may be gone, or older than this target. So that post counts only if it can
    // be read and isn't older. https://github.com/ComposioHQ/composio/issues/2710
    const found = await findPost(rest, target);
    if (found.outcome === 'published') return found;
    throw error;
  }
}
