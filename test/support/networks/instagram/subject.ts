// Instagram for the contract test: its simulator behind a port that can fail.
import { createBrowser, type Page } from '../../app/browser.ts';
import { hostVideo } from '../../media/hosted-media.ts';
import type { Decision, NetworkFacts, NetworkSubject } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { notWelcome } from '../meta/refusals.ts';
import { startMeta } from '../meta/running.ts';
import { hostJpeg, instagramVariables } from './connected.ts';
import { InstagramServer } from './server.ts';

export const instagramFacts: NetworkFacts = {
  name: 'instagram',
  needsMedia: 'image',
  refreshesOnlyOld: true,
  options: [
    { given: { placement: 'story' }, arrives: { media_type: 'STORIES' }, caption: null },
    {
      given: { collaborators: ['grace.hopper'], location_id: '110774245616525' },
      arrives: { collaborators: ['grace.hopper'], location_id: '110774245616525' },
      isOwn: true,
    },
    {
      given: { user_tags: [{ username: 'grace.hopper', x: 0.5, y: 0.25 }] },
      arrives: { user_tags: [{ username: 'grace.hopper', x: 0.5, y: 0.25 }] },
    },
  ],
  // Only reels take these options, and the image of these posts is no reel.
  otherOptions: ['share_to_feed', 'audio_name'],
  refusedOptions: [
    { given: { placement: 'reel' }, path: 'placement', code: 'placement_not_supported' },
    { given: { share_to_feed: false }, path: 'share_to_feed', code: 'option_not_supported' },
    {
      given: { user_tags: [{ username: 'grace.hopper' }] },
      path: 'user_tags',
      code: 'invalid_user_tag',
    },
    { given: { collaborators: ['@ada'] }, path: 'collaborators[0]', code: 'invalid_format' },
  ],
};

/** The logins are new, so they aren't refreshed. */
export const instagram: NetworkSubject = {
  ...instagramFacts,
  resolution: 'search',
  // A prepare asks for the quota, makes a container and reads the container twice. A check reads the
  // container, and lists posts.
  calls: { prepare: 4, commit: 1, reconcile: 2 },
  isByConsent: true,
  hasNoRetryAfter: true,
  textLimit: 2_200,
  refusal: { platformCode: String(notWelcome.code), message: notWelcome.message },
  media: [await hostJpeg()],
  start: (switchboard) => startNetwork(switchboard, new InstagramServer({ IMAGE: 1 })),
};

/** The post has three containers. The second read shows the video as finished. */
export const instagramWithCarousel: NetworkSubject = {
  ...instagram,
  title: 'instagram with a carousel',
  calls: { ...instagram.calls, prepare: 8 },
  media: [await hostJpeg(), await hostVideo()],
  start: (switchboard) => startNetwork(switchboard, new InstagramServer({ VIDEO: 1 })),
};

/** `network`: the simulator, whose switches a test can set. */
export const startNetwork = (switchboard: Switchboard, network = new InstagramServer()) =>
  startMeta(network, switchboard, 'FANFARE_INSTAGRAM', instagramVariables);

/** An account of a page, by a login at Facebook. The token of the page neither expires nor is refreshed. */
export const instagramOfPage: NetworkSubject = {
  ...instagram,
  title: 'instagram with a login at Facebook',
  start: async (switchboard) => {
    const network = new InstagramServer({ IMAGE: 1 });
    const { logins } = network.facebook;
    const { id: clientId, secret: clientSecret } = logins.client;
    const running = await startNetwork(switchboard, network);
    return {
      ...running,
      env: {
        ...running.env,
        FANFARE_FACEBOOK_CLIENT_ID: clientId,
        FANFARE_FACEBOOK_CLIENT_SECRET: clientSecret,
      },
      way: 1,
      app: { clientId, clientSecret },
      consent: async (url, decision) => void (await consentAtFacebook(url, decision)),
      listSecrets: () => [...running.listSecrets(), ...logins.listSecrets()],
      countRefreshes: () => 0,
    };
  },
};

/** Follows the link to the other login. Returns the page that follows the link. */
export async function consentAtFacebook(url: string, decision: Decision = 'allow'): Promise<Page> {
  const browser = createBrowser();
  const first = await browser.visit(url);
  const other = /<a href="([^"]+)">Log in at Facebook instead</.exec(first.html)?.[1];
  if (other === undefined) throw new Error(`No link leads to Facebook:\n${first.html}`);
  const page = await browser.visit(new URL(other, first.url).href);
  const consent = await browser.submit(page, { decision: 'connect' });
  return browser.submit(consent, { decision });
}
