// Facebook: posts of pages, through an app of the operator or the project.
import { facebook } from '../../../schema/platforms/facebook.ts';
import type { Platform } from '../platform.ts';
import { createFacebookApi, type FacebookSettings } from './api.ts';
import { createConnect } from './connect.ts';
import { confirmVideo, findPost } from './find-post.ts';
import { prepareMedia } from './media.ts';
import { publish } from './post.ts';

/**
 * No `revoke`, because Facebook ends all logins of a user at an app together. They include newer logins and
 * those of other products.
 * https://developers.facebook.com/docs/facebook-login/guides/permissions/request-revoke
 */
export function createFacebook(settings: FacebookSettings): Platform {
  const { graph, openPage } = createFacebookApi(settings);
  const { consent, inspect, ...login } = createConnect(settings, graph);
  return {
    definition: facebook,

    connect: [consent],

    ...login,

    prepare: async (target, signal) => prepareMedia(openPage(target, signal), target),
    commit: async (target, signal) => publish(openPage(target, signal), target),
    confirm: async (target, signal) => confirmVideo(openPage(target, signal), target),
    reconcile: async (target, signal) => findPost(openPage(target, signal), target),
    checks: { inspect },
  };
}
