// YouTube for the contract test: its simulator behind a port that can fail.
import { giveConsent } from '../../app/consent.ts';
import { chunkBytes } from '../../../../activities/platforms/youtube/session.ts';
import { youtube as definition } from '../../../../schema/platforms/youtube.ts';
import { createVideo } from '../../media/target-media.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { withAllScopes, youtubeVariables } from './connected.ts';
import { createYouTubeServer } from './server.ts';

const needed = { title: 'Brass', made_for_kids: false };

export const youtubeFacts: NetworkFacts = {
  name: 'youtube',
  needsMedia: 'video',
  requiredOptions: needed,
  options: [
    {
      given: { title: 'How to tune a tuba', made_for_kids: true, visibility: 'unlisted' },
      arrives: {
        snippet: { title: 'How to tune a tuba' },
        status: { selfDeclaredMadeForKids: true, privacyStatus: 'unlisted' },
      },
    },
    {
      given: { ...needed, tags: ['tuba', 'brass band'], category_id: '10' },
      arrives: { snippet: { tags: ['tuba', 'brass band'], categoryId: '10' } },
    },
    {
      given: { ...needed, notify_subscribers: false, made_with_ai: true },
      arrives: { notifySubscribers: false, status: { containsSyntheticMedia: true } },
    },
  ],
  // A step after the publication reads it.
  otherOptions: ['playlist_id'],
  refusedOptions: [
    { given: { made_for_kids: false, title: '' }, path: 'title', code: 'too_small' },
    { given: { made_for_kids: false, title: 'a'.repeat(101) }, path: 'title', code: 'too_big' },
    { given: { made_for_kids: false, title: 'a > b' }, path: 'title', code: 'invalid_format' },
    { given: { ...needed, tags: ['a'.repeat(499), 'b'] }, path: 'tags', code: 'invalid' },
    { given: { ...needed, category_id: 'Music' }, path: 'category_id', code: 'invalid_format' },
    {
      given: { ...needed, playlist_id: 'a playlist' },
      path: 'playlist_id',
      code: 'invalid_format',
    },
  ],
  // A description has as many bytes as characters.
  textOf: (length) => 'a'.repeat(length),
};

/** The first call of a commit asks how much has arrived. The second read shows the video as processed. */
export const youtube: NetworkSubject = {
  ...youtubeFacts,
  resolution: 'search',
  calls: { prepare: 1, commit: 2, confirm: 2, reconcile: 1 },
  publishingCall: 2,
  hasRefresh: true,
  hidesRevocation: true,
  keepsRefreshToken: true,
  isByConsent: true,
  textLimit: definition.rules.text.max,
  refusal: {
    platformCode: 'forbidden',
    message: 'Access forbidden. The request may not be properly authorized.',
  },
  media: [createVideo()],
  start: (switchboard) => startNetwork(switchboard),
};

/** The prepare also asks how much has arrived, and sends the first chunk. */
export const youtubeWithChunks: NetworkSubject = {
  ...youtube,
  title: 'youtube with two chunks',
  calls: { ...youtube.calls, prepare: 3 },
  media: [createVideo({}, chunkBytes)],
};

/** `network`: the simulator, whose switches a test can set. */
export async function startNetwork(
  switchboard: Switchboard,
  network = createYouTubeServer(),
): Promise<RunningNetwork> {
  const { login } = network;
  const { id: clientId, secret: clientSecret } = login.client;
  const { url, close } = await startFaultyServer(network, switchboard);
  return {
    env: {
      ...youtubeVariables(url),
      ...withAllScopes,
      FANFARE_YOUTUBE_CLIENT_ID: clientId,
      FANFARE_YOUTUBE_CLIENT_SECRET: clientSecret,
    },
    credentials: {},
    consent: async (address, decision = 'allow') =>
      void (await giveConsent(address, { inputs: {}, decision: { decision } })),
    wrongCredentials: [],
    app: { clientId, clientSecret },
    listPosts: () => network.listPosts(),
    listSecrets: () => login.listSecrets(),
    countRefreshes: () => login.countRefreshes(),
    [Symbol.asyncDispose]: close,
  };
}
