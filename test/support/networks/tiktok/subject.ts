// TikTok for the contract test: its simulator behind a port that can fail.
import { giveConsent } from '../../app/consent.ts';
import { hostMedia } from '../../media/hosted-media.ts';
import { createImage, createVideo } from '../../media/target-media.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createTikTokServer } from './server.ts';

export const consentOfTest = { previewed: true, accepted_at: '2026-01-31T12:00:00Z' };
const consent = consentOfTest;

export const tiktokFacts: NetworkFacts = {
  name: 'tiktok',
  needsMedia: 'video',
  requiredOptions: { privacy_level: 'PUBLIC_TO_EVERYONE', consent },
  options: [
    {
      given: { allow_comment: true, allow_duet: true, allow_stitch: true },
      arrives: { disable_comment: false, disable_duet: false, disable_stitch: false },
    },
    {
      given: { privacy_level: 'PUBLIC_TO_EVERYONE', consent },
      arrives: { disable_comment: true, disable_duet: true, disable_stitch: true },
    },
    {
      given: { paid_partnership: true, promotes_own_brand: true, made_with_ai: true },
      arrives: { brand_content_toggle: true, brand_organic_toggle: true, is_aigc: true },
    },
  ],
  // A draft has no ID by which it could be read back. Only photos have the others.
  otherOptions: ['mode', 'title', 'auto_add_music'],
  refusedOptions: [
    { given: { privacy_level: undefined }, path: 'privacy_level', code: 'required' },
    { given: { consent: undefined }, path: 'consent', code: 'required' },
    { given: { privacy_level: 'FRIENDS' }, path: 'privacy_level', code: 'invalid_value' },
    { given: { title: 'Only photos have it' }, path: 'title', code: 'option_not_supported' },
    {
      given: { privacy_level: 'SELF_ONLY', paid_partnership: true },
      path: 'paid_partnership',
      code: 'not_private',
    },
    { given: { mode: 'inbox' }, path: 'privacy_level', code: 'option_not_supported' },
  ],
};

/** A prepare asks for the creator and begins the upload. The commit sends the only chunk, without a token. */
export const tiktok: NetworkSubject = {
  ...tiktokFacts,
  resolution: 'proof',
  calls: { prepare: 2, commit: 1, confirm: 1, reconcile: 1 },
  hasRefresh: true,
  hidesRevocation: true,
  isByConsent: true,
  publicStages: ['commit'],
  hasNoRetryAfter: true,
  textLimit: 2_200,
  refusal: { platformCode: '400', message: "TikTok can't read the range of bytes." },
  media: [createVideo()],
  start: (switchboard) => startNetwork(switchboard),
};

/** The commit of photos has no proof before it. */
export const tiktokPhotos: NetworkSubject = {
  ...tiktok,
  title: 'tiktok with photos',
  resolution: 'none',
  calls: { prepare: 1, commit: 1, confirm: 1 },
  publicStages: [],
  refusal: {
    platformCode: 'invalid_params',
    message: 'One or more fields in request is invalid.',
  },
  media: [
    await hostMedia(await createImage({ contentType: 'image/jpeg', altText: null })),
    await hostMedia(await createImage({ contentType: 'image/webp', altText: null })),
  ],
};

export async function startNetwork(
  switchboard: Switchboard,
  network = createTikTokServer(),
): Promise<RunningNetwork> {
  const { login } = network;
  // One check settles a lost answer.
  network.processingPolls = 0;
  const { url, close } = await startFaultyServer(network, switchboard);
  network.origin = url;
  return {
    env: tiktokVariables(url, login.client),
    credentials: {},
    consent: async (address, decision = 'allow') =>
      void (await giveConsent(address, { decision: { decision } })),
    wrongCredentials: [],
    app: { clientId: login.client.id, clientSecret: login.client.secret },
    listPosts: () => network.listPosts(),
    listSecrets: () => network.listSecrets(),
    countRefreshes: login.countRefreshes,
    [Symbol.asyncDispose]: () => close(),
  };
}

export const tiktokVariables = (url: string, client: { id: string; secret: string }) => ({
  FANFARE_TIKTOK_API_URL: url,
  FANFARE_TIKTOK_CONSENT_URL: `${url}/v2/auth/authorize`,
  FANFARE_TIKTOK_CLIENT_ID: client.id,
  FANFARE_TIKTOK_CLIENT_SECRET: client.secret,
});
