// Pinterest for the contract test: a simulated API with one account and one board.
import { giveConsent } from '../../app/consent.ts';
import { createImage, createVideo } from '../../media/target-media.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { notAuthorized } from './refusals.ts';
import { boardId, createPinterestServer, sectionId } from './server.ts';

const everyOption = {
  board_id: boardId,
  board_section_id: sectionId,
  title: 'A tuba',
  link: 'https://example.com/tubas?a=1',
  dominant_color: '#6E7874',
};

export const pinterestFacts: NetworkFacts = {
  name: 'pinterest',
  needsMedia: 'image',
  requiredOptions: { board_id: boardId },
  options: [{ given: everyOption, arrives: everyOption, isOwn: true }],
  refusedOptions: [
    { given: { board_id: 'brass-bands' }, path: 'board_id', code: 'invalid_format' },
    { given: { title: 'a'.repeat(101) }, path: 'title', code: 'too_big' },
    { given: { link: 'ftp://example.com' }, path: 'link', code: 'invalid_format' },
    { given: { dominant_color: 'red' }, path: 'dominant_color', code: 'invalid_format' },
  ],
};

/** Pinterest refuses a revoked login with the code of an expired one. */
export const pinterest: NetworkSubject = {
  ...pinterestFacts,
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  hasRefresh: true,
  hidesRevocation: true,
  isByConsent: true,
  textLimit: 800,
  refusal: { platformCode: notAuthorized().code, message: notAuthorized().message },
  media: [await createImage()],
  start: (switchboard) => startNetwork(switchboard),
};

export const pinterestWithCarousel: NetworkSubject = {
  ...pinterest,
  title: 'pinterest with a carousel',
  media: [await createImage(), await createImage({ contentType: 'image/jpeg' })],
};

export const pinterestWithVideo: NetworkSubject = {
  ...pinterest,
  title: 'pinterest with a video',
  // The second call of the prepare goes to the bucket, which has no codes.
  calls: { ...pinterest.calls, prepare: 1 },
  media: [createVideo()],
};

/** `network`: with switches that a test sets. */
export async function startNetwork(
  switchboard: Switchboard,
  network = createPinterestServer(),
): Promise<RunningNetwork> {
  const { logins } = network;
  // Only for tokens of system users, Pinterest documents that it revokes them. The contract tests the call.
  logins.canRevoke = true;
  const { id: clientId, secret: clientSecret } = logins.client;
  const { url, close } = await startFaultyServer(network, switchboard);
  return {
    env: {
      FANFARE_PINTEREST_API_URL: url,
      FANFARE_PINTEREST_LOGIN_URL: url,
      FANFARE_PINTEREST_CLIENT_ID: clientId,
      FANFARE_PINTEREST_CLIENT_SECRET: clientSecret,
    },
    credentials: {},
    consent: async (address, decision = 'allow') =>
      void (await giveConsent(address, { decision: { decision } })),
    wrongCredentials: [],
    app: { clientId, clientSecret },
    listPosts: () => network.listPosts(),
    listSecrets: () => logins.listSecrets(),
    countRefreshes: () => logins.countRefreshes(),
    [Symbol.asyncDispose]: close,
  };
}
