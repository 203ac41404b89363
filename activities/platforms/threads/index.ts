// Threads: posts of a profile, through an app of the operator or the project.
import { z } from 'zod';
import { threads } from '../../../schema/platforms/threads.ts';
import { commitContainer } from '../meta/commit.ts';
import { prepareContainers } from '../meta/containers.ts';
import type { Platform } from '../platform.ts';
import { createThreadsApi, type ThreadsSettings } from './api.ts';
import { createChoices } from './choices.ts';
import { createConnect } from './connect.ts';
import { findPost } from './find-post.ts';
import { checkQuota, createCalls, isMissing } from './post.ts';

/** No `revoke`, because Threads documents no such call. Users remove an app in their own settings. */
export function createThreads(settings: ThreadsSettings): Platform {
  const { open, root } = createThreadsApi(settings);
  const { consent, inspect, ...login } = createConnect(settings, open, root);
  return {
    definition: threads,

    connect: [consent],

    ...login,

    choices: createChoices(open),

    prepare: (target, signal) =>
      prepareContainers(createCalls(open(target.credentials, signal), target), target.state),

    async commit(target, signal) {
      const calls = createCalls(open(target.credentials, signal), target);
      const openWithin = (limited: AbortSignal) => open(target.credentials, limited);
      return commitContainer(calls, target.state, { open: openWithin, isMissing }, signal);
    },

    reconcile: (target, signal) => findPost(open(target.credentials, signal), target, signal),

    /** @see https://developers.facebook.com/docs/threads/posts/delete-posts */
    unpublish: {
      async remove({ credentials, externalId }, signal) {
        const call = { kind: 'commit', method: 'DELETE' } as const;
        const deleted = z.object({ success: z.literal(true) });
        await open(credentials, signal)(`/${externalId}`, deleted, call);
      },
    },

    checks: {
      inspect,
      quota: (target, signal) => checkQuota(open(target.credentials, signal), target),
      canPrepare: true,
    },
  };
}
