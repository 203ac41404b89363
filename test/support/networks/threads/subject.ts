// Threads for the contract test: its simulator behind a port that can fail.
import { hostMedia, hostVideo } from '../../media/hosted-media.ts';
import { createImage } from '../../media/target-media.ts';
import type { NetworkFacts, NetworkSubject } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { notWelcome } from '../meta/refusals.ts';
import { startMeta } from '../meta/running.ts';
import { threadsVariables } from './connected.ts';
import { ThreadsServer } from './server.ts';

export const threadsFacts: NetworkFacts = {
  name: 'threads',
  options: [
    same({ reply_control: 'mentioned_only', topic_tag: 'Brass bands' }),
    same({ link_attachment: 'https://example.com/news' }),
    {
      given: { poll: { options: ['Trumpet', 'Tuba'] } },
      arrives: { poll_attachment: { option_a: 'Trumpet', option_b: 'Tuba' } },
    },
    { ...same({ quote_post_id: '18050206876707110' }), isOwn: true },
  ],
  refusedOptions: [
    { given: { topic_tag: 'a.b' }, path: 'topic_tag', code: 'invalid_format' },
    { given: { poll: { options: ['a'] } }, path: 'poll.options', code: 'too_small' },
    {
      given: { poll: { options: ['a', 'b'] }, link_attachment: 'https://example.com' },
      path: 'poll',
      code: 'invalid',
    },
  ],
};

/** The tokens are two days old, so they can be refreshed, but not once they have expired. */
export const threads: NetworkSubject = {
  cannotTellGone: true,
  ...threadsFacts,
  resolution: 'search',
  // A prepare asks for the quota, makes a container and reads the container. A check reads the container, and
  // lists posts.
  calls: { prepare: 3, commit: 1, reconcile: 2 },
  isByConsent: true,
  hasNoRetryAfter: true,
  textLimit: 500,
  refusal: { platformCode: String(notWelcome.code), message: notWelcome.message },

  start: (switchboard) => startNetwork(switchboard),
};

/** Asks for the scope that deletes posts, too. */
export const threadsWithDelete: NetworkSubject = {
  ...threads,
  title: 'threads that may delete',
  async start(switchboard) {
    const network = await startNetwork(switchboard);
    const scopes = 'threads_basic threads_content_publish threads_manage_replies threads_delete';
    return Object.assign(network, { env: { ...network.env, FANFARE_THREADS_SCOPES: scopes } });
  },
};

export const threadsWithImage: NetworkSubject = {
  ...threads,
  title: 'threads with an image',
  calls: { ...threads.calls, prepare: 4 },
  media: [await hostMedia(await createImage())],
  start: (switchboard) => startNetwork(switchboard, new ThreadsServer({ IMAGE: 1 })),
};

/** The post has three containers. The second read shows the video as finished. */
export const threadsWithCarousel: NetworkSubject = {
  ...threads,
  title: 'threads with a carousel',
  calls: { ...threads.calls, prepare: 8 },
  media: [await hostMedia(await createImage()), await hostVideo()],
  start: (switchboard) => startNetwork(switchboard, new ThreadsServer({ VIDEO: 1 })),
};

/** `network`: with switches that a test sets. */
export const startNetwork = (switchboard: Switchboard, network = new ThreadsServer()) =>
  startMeta(network, switchboard, 'FANFARE_THREADS', threadsVariables);

/** The options arrive as they were given. */
function same(options: Record<string, unknown>) {
  return { given: options, arrives: options };
}
