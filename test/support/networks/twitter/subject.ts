// X for the contract test: a simulated API with one account, in both ways to handle a lost answer.
import { giveConsent } from '../../app/consent.ts';
import type { NetworkFacts, NetworkSubject } from '../contract/subject.ts';
import { createImage } from '../../media/target-media.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createTwitterServer } from './server.ts';

const same = (options: Record<string, unknown>) => ({ given: options, arrives: options });

export const twitterFacts: NetworkFacts = {
  name: 'twitter',
  options: [
    same({ reply_settings: 'mentionedUsers' }),
    same({ poll: { options: ['Trumpet', 'Tuba'], duration_minutes: 1_440 } }),
    same({ made_with_ai: true, paid_partnership: true }),
  ],
};

function subjectOf(reconcile: 'read' | 'none'): NetworkSubject {
  return {
    ...twitterFacts,
    title: `twitter, reconcile=${reconcile}`,
    resolution: reconcile === 'read' ? 'search' : 'none',
    calls: { commit: 1, ...(reconcile === 'read' && { reconcile: 1 }) },
    hasRefresh: true,
    hidesRevocation: true,
    isByConsent: true,
    isUnavailableSafe: true,
    textLimit: 280,
    refusal: { platformCode: '403', message: 'You are not permitted to perform this action.' },

    async start(switchboard) {
      const network = createTwitterServer();
      const { login } = network;
      const server = await startFaultyServer(network, switchboard);
      return {
        env: {
          FANFARE_TWITTER_API_URL: server.url,
          FANFARE_TWITTER_CONSENT_URL: `${server.url}/i/oauth2/authorize`,
          FANFARE_TWITTER_CLIENT_ID: login.client.id,
          FANFARE_TWITTER_CLIENT_SECRET: login.client.secret,
          FANFARE_TWITTER_RECONCILE: reconcile,
        },
        credentials: {},
        consent: async (url, decision = 'allow') =>
          void (await giveConsent(url, { decision: { decision } })),
        wrongCredentials: [],
        app: { clientId: login.client.id, clientSecret: login.client.secret },
        listPosts: () => network.listPosts(),
        listSecrets: login.listSecrets,
        countRefreshes: login.countRefreshes,
        [Symbol.asyncDispose]: () => server.close(),
      };
    },
  };
}

export const twitterReading = subjectOf('read');
export const twitterBlind = subjectOf('none');

/**
 * An upload takes four calls: one each to begin it, to send the bytes, to end it and to describe the media.
 */
const withMedia = async (subject: NetworkSubject): Promise<NetworkSubject> => ({
  ...subject,
  title: `${subject.title} with an image`,
  calls: { prepare: 4, ...subject.calls },
  media: [await createImage()],
});

export const twitterWithMedia = await withMedia(twitterReading);
export const twitterBlindWithMedia = await withMedia(twitterBlind);
