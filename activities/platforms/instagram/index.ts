// Instagram: posts, reels, stories and comments of a professional account, through an app of the operator or the
// project.
import { instagram } from '../../../schema/platforms/instagram.ts';
import { commitContainer } from '../meta/commit.ts';
import { prepareContainers } from '../meta/containers.ts';
import type { Platform, Target } from '../platform.ts';
import { preparedAs } from '../results.ts';
import { createInstagramApi, isOfInstagram, openAccount, type InstagramSettings } from './api.ts';
import { findComment, postComment } from './comment.ts';
import { checkLogin, createFacebookMethod, inspectAccount } from './facebook-login.ts';
import { findPost } from './find-post.ts';
import { createInstagramLogin } from './instagram-login.ts';
import { checkQuota, createCalls, isMissing } from './post.ts';

/**
 * No `revoke`, because Meta documents no call that leaves other logins of the user alone. Users remove an app
 * in their settings.
 */
export function createInstagram(settings: InstagramSettings): Platform {
  const api = createInstagramApi(settings);
  const { consent, inspect, ...login } = createInstagramLogin(settings, api);
  const open = (target: Target, signal: AbortSignal) => openAccount(api, target, signal);
  return {
    definition: instagram,

    connect: [consent, createFacebookMethod(settings)],

    ...login,

    canRefresh: isOfInstagram,

    check: ({ credentials }, signal) => checkLogin(api, credentials, signal),

    async prepare(target, signal) {
      if (target.replyTo !== null) return preparedAs({});
      return prepareContainers(createCalls(open(target, signal), target), target.state);
    },

    async commit(target, signal) {
      const ask = open(target, signal);
      if (target.replyTo !== null) return postComment(ask, target.replyTo, target);
      const openWithin = (limited: AbortSignal) => open(target, limited);
      const reader = { open: openWithin, isMissing };
      return commitContainer(createCalls(ask, target), target.state, reader, signal);
    },

    async reconcile(target, signal) {
      const ask = open(target, signal);
      if (target.replyTo !== null) return findComment(ask, target.replyTo, target);
      return findPost(ask, target, signal);
    },

    checks: {
      inspect: (target, signal) =>
        isOfInstagram(target.credentials)
          ? inspect(target, signal)
          : inspectAccount(api, target, signal),
      quota: (target, signal) => checkQuota(open(target, signal), target.externalAccountId),
      canPrepare: true,
    },
  };
}
