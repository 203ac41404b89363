// Mastodon for the contract test: a simulated server with one account.
import { giveConsent } from '../../app/consent.ts';
import type { LiveSubject } from '../contract/live-cases.ts';
import type { NetworkFacts, NetworkSubject } from '../contract/subject.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createMastodonServer } from './server.ts';

const poll = {
  options: ['Trumpet', 'Tuba'],
  expires_in: 86_400,
  multiple: true,
  hide_totals: true,
};

/** Of any server; each has its own limit of the text. */
export const mastodonFacts: NetworkFacts = {
  name: 'mastodon',
  options: [
    same({ visibility: 'unlisted', language: 'de' }),
    same({ spoiler_text: 'Loud brass', sensitive: true }),
    same({ poll }),
  ],
};

export const mastodon: NetworkSubject = {
  ...mastodonFacts,
  resolution: 'search',
  // A check lists the account's posts, and reads the source of each that may be the one.
  calls: { commit: 1, reconcile: 2 },
  textLimit: 500,
  refusal: { platformCode: '403', message: 'This action is not allowed' },

  async start(switchboard) {
    const network = createMastodonServer({ videoPolls: 1 });
    const server = await startFaultyServer(network, switchboard);
    const credentials = { server: server.url, access_token: network.token };
    return {
      env: {},
      credentials,
      wrongCredentials: [
        { field: 'access_token', credentials: { ...credentials, access_token: 'wrong-token' } },
        { field: 'server', credentials: { ...credentials, server: 'not a server' } },
      ],
      listPosts: network.listPosts,
      consent: async (url, decision = 'allow') =>
        void (await giveConsent(url, { inputs: { server: server.url }, decision: { decision } })),
      listSecrets: network.listSecrets,
      [Symbol.asyncDispose]: () => server.close(),
    };
  },
};

/** Without a pasted token. */
export const mastodonByConsent: LiveSubject = {
  ...mastodonFacts,
  isByConsent: true,
  textLimit: 500,
  async start(db) {
    const network = await mastodon.start(createSwitchboard(), db);
    return { ...network, credentials: {}, wrongCredentials: [] };
  },
};

/** They arrive as they were given. */
function same(options: Record<string, unknown>) {
  return { given: options, arrives: options };
}
