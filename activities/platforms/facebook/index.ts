// Facebook: posts of pages, through an app of the operator or the project.
import { z } from 'zod';
import { facebook } from '../../../schema/platforms/facebook.ts';
import { toComparable } from '../lost-posts.ts';
import type { Ask } from '../network-api.ts';
import { goneIf, hasCode, isThere } from '../platform-error.ts';
import type { Platform, PublishedPost } from '../platform.ts';
import { createFacebookApi, type FacebookSettings } from './api.ts';
import { createConnect } from './connect.ts';
import { confirmVideo, findPost } from './find-post.ts';
import { prepareMedia } from './media.ts';
import { publish } from './post.ts';

const Succeeded = z.object({ success: z.literal(true) });
const WithMessage = z.object({ message: z.string().default('') });

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

    /** @see https://developers.facebook.com/docs/pages-api/posts */
    unpublish: {
      async remove(post, signal) {
        const { graph } = openPage(post, signal);
        const call = { kind: 'commit', method: 'DELETE' } as const;
        await graph(`/${post.externalId}`, Succeeded, call).catch(asGone(graph, post));
      },
      async exists(post, signal) {
        const { graph } = openPage(post, signal);
        const asked = graph(`/${post.externalId}`, z.unknown(), { query: { fields: 'id' } });
        return isThere(asked.catch(asGone(graph, post)));
      },
    },

    edit: {
      async apply(post, signal) {
        const { graph } = openPage(post, signal);
        const call = { kind: 'commit', json: { message: post.caption.toWellFormed() } } as const;
        await graph(`/${post.externalId}`, Succeeded, call).catch(asGone(graph, post));
      },
      async isApplied(post, signal) {
        const { graph } = openPage(post, signal);
        const query = { fields: 'message' };
        const asked = graph(`/${post.externalId}`, WithMessage, { query });
        const { body } = await asked.catch(asGone(graph, post));
        return toComparable(body.message) === toComparable(post.caption);
      },
    },

    checks: { inspect },
  };
}

/**
 * Facebook uses one code for an object that is gone and for one that the login may not see. The login sees the posts of
 * its page if it can list them.
 */
const asGone =
  (graph: Ask, { externalAccountId }: PublishedPost) =>
  async (error: unknown) => {
    if (!hasCode(error, '100/33')) throw error;
    const query = { fields: 'id', limit: 1 };
    await graph(`/${externalAccountId}/published_posts`, z.unknown(), { query });
    return goneIf('100/33')(error);
  };
