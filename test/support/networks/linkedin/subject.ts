// LinkedIn for the contract test: its simulator behind a port that can fail.
import { giveConsent } from '../../app/consent.ts';
import { linkedin } from '../../../../schema/platforms/linkedin.ts';
import { createImage, createVideo } from '../../media/target-media.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { LinkedInServer } from './server.ts';

export const pageScopes = [
  'r_organization_admin',
  'w_organization_social',
  'r_organization_social',
];

/** LinkedIn grants these with a permission of their own. */
export const commentScopes = [
  'w_member_social_feed',
  'w_organization_social_feed',
  'r_organization_social_feed',
];

const question = 'Tabs or spaces?';

export const linkedinFacts: NetworkFacts = {
  name: 'linkedin',
  otherOptions: ['document_title'],
  options: [
    {
      given: { visibility: 'LOGGED_IN', disable_reshare: true },
      arrives: { visibility: 'LOGGED_IN', isReshareDisabledByAuthor: true },
    },
    {
      given: { link: { url: 'https://example.com/a b?q=ä', title: 'Title', description: 'Text' } },
      arrives: {
        content: {
          article: {
            source: 'https://example.com/a%20b?q=%C3%A4',
            title: 'Title',
            description: 'Text',
          },
        },
      },
    },
    {
      given: { poll: { question, options: ['Tabs', 'Spaces'], duration: 'ONE_DAY' } },
      arrives: {
        content: {
          poll: {
            question,
            options: [{ text: 'Tabs' }, { text: 'Spaces' }],
            settings: { duration: 'ONE_DAY' },
          },
        },
      },
    },
  ],
};

const shared = {
  ...linkedinFacts,
  isUnavailableSafe: true,
  textLimit: linkedin.rules.text.max,
  refusal: { platformCode: 'NOT_WELCOME', message: 'Not welcome' },
} satisfies Partial<NetworkSubject>;

/** Nobody can read a member's posts at LinkedIn. */
export const linkedinMember: NetworkSubject = {
  ...shared,
  title: 'linkedin with a member',
  resolution: 'none',
  calls: { commit: 1 },
  start: (switchboard) => start(switchboard),
};

export const linkedinPage: NetworkSubject = {
  ...shared,
  title: 'linkedin with a page',
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  start: (switchboard) => start(switchboard, '5515715'),
};

export const linkedinPageWithImage: NetworkSubject = {
  ...linkedinPage,
  title: 'linkedin with a page, with an image',
  // The second call of the prepare goes to the upload service, which has no codes.
  calls: { ...linkedinPage.calls, prepare: 1 },
  media: [await createImage()],
};

export const linkedinPageWithVideo: NetworkSubject = {
  ...linkedinPage,
  title: 'linkedin with a page, with a video',
  calls: { ...linkedinPage.calls, prepare: 1 },
  media: [createVideo()],
};

async function start(switchboard: Switchboard, organization = ''): Promise<RunningNetwork> {
  const network = new LinkedInServer();
  const { scopes } = network.logins;
  if (organization) scopes.push(...pageScopes, ...commentScopes);
  const { url, close } = await startFaultyServer(network, switchboard);
  const credentials = { access_token: network.logins.createToken(), organization };
  return {
    env: {
      FANFARE_LINKEDIN_API_URL: url,
      FANFARE_LINKEDIN_LOGIN_URL: `${url}/oauth/v2`,
      FANFARE_LINKEDIN_CLIENT_ID: network.logins.client.id,
      FANFARE_LINKEDIN_CLIENT_SECRET: network.logins.client.secret,
      FANFARE_LINKEDIN_SCOPES: scopes.join(' '),
    },
    credentials,
    wrongCredentials: [
      { field: 'access_token', credentials: { ...credentials, access_token: 'AQXwrong-token' } },
      { field: 'organization', credentials: { ...credentials, organization: 'acme' } },
      { field: 'access_token', credentials: { ...credentials, access_token: 'two words' } },
    ],
    consent: async (address, decision = 'allow') => {
      const hasChoice = organization !== '' && decision === 'allow';
      const accounts = [`urn:li:organization:${organization}`];
      const given = { inputs: {}, decision: { decision } };
      await giveConsent(address, { ...given, ...(hasChoice && { accounts }) });
    },
    ...(organization && {
      consentForAll: async (address: string) => {
        const accounts = [
          `urn:li:person:${network.member.id}`,
          `urn:li:organization:${organization}`,
        ];
        await giveConsent(address, { inputs: {}, accounts });
      },
    }),
    listPosts: () => network.listPosts(),
    listSecrets: () => network.logins.listSecrets(),
    [Symbol.asyncDispose]: () => close(),
  };
}
