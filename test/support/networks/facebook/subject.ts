// Facebook for the contract test: its simulator behind a port that can fail.
import { giveConsent } from '../../app/consent.ts';
import { facebook as definition } from '../../../../schema/platforms/facebook.ts';
import { createImage, createVideo } from '../../media/target-media.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { notWelcome } from '../meta/refusals.ts';
import { startMeta } from '../meta/running.ts';
import { facebookVariables } from './connected.ts';
import { FacebookServer } from './server.ts';

export const facebookFacts: NetworkFacts = {
  name: 'facebook',
  options: [
    {
      given: { placement: 'feed', link: 'https://example.com/a b?q=ä' },
      arrives: { placement: 'feed', link: 'https://example.com/a%20b?q=%C3%A4' },
    },
  ],
  refusedOptions: [
    { given: { placement: 'wall' }, path: 'placement', code: 'invalid_value' },
    { given: { link: 'ftp://example.com' }, path: 'link', code: 'invalid_format' },
    { given: { link: 'https://example.com', placement: 'reel' }, path: 'link', code: 'invalid' },
  ],
};

export const facebook: NetworkSubject = {
  ...facebookFacts,
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  isByConsent: true,
  hasNoRetryAfter: true,
  textLimit: definition.rules.text.max,
  refusal: { platformCode: String(notWelcome.code), message: notWelcome.message },

  start: (switchboard) => startNetwork(switchboard),
};

export const facebookWithImage: NetworkSubject = {
  ...facebook,
  title: 'facebook with an image',
  calls: { ...facebook.calls, prepare: 1 },
  media: [await createImage()],
};

/** The video is sent in three ranges. The second read shows it as public. */
export const facebookWithVideo: NetworkSubject = {
  ...facebook,
  title: 'facebook with a video',
  calls: { ...facebook.calls, prepare: 4, confirm: 2, reconcile: 2 },
  media: [createVideo()],
};

/** The upload of the reel begins with a request that asks how much has arrived. */
export const facebookWithReel: NetworkSubject = {
  ...facebook,
  title: 'facebook with a reel',
  calls: { ...facebook.calls, prepare: 3, confirm: 2, reconcile: 2 },
  media: [createVideo({ width: 1_080, height: 1_920 })],
};

/** `network`: the simulator, whose switches a test can set. */
export async function startNetwork(
  switchboard: Switchboard,
  network = new FacebookServer(),
): Promise<RunningNetwork> {
  const running = await startMeta(network, switchboard, 'FANFARE_FACEBOOK', facebookVariables);
  const accounts = network.logins.pages.map(({ id }) => id);
  if (accounts.length === 1) return running;
  const choose = async (address: string, chosen: string[]) =>
    void (await giveConsent(address, { inputs: {}, accounts: chosen }));
  return {
    ...running,
    consent: (address, decision) =>
      decision === 'deny' ? running.consent!(address, decision) : choose(address, [accounts[0]!]),
    consentForAll: (address) => choose(address, accounts),
  };
}

/** The user chooses between two pages. */
export const facebookWithTwoPages: NetworkSubject = {
  ...facebook,
  title: 'facebook with two pages',
  start: (switchboard) => {
    const tasks = ['CREATE_CONTENT'];
    const pages = [
      { id: '102030405060708', name: 'Bakery', tasks },
      { id: '102030405060709', name: 'Garden', tasks },
    ];
    return startNetwork(switchboard, new FacebookServer(pages));
  },
};
