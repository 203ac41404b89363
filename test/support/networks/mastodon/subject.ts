// Mastodon for the contract test: a simulated server with one account.
import { giveConsent } from '../../app/consent.ts';
import type { LiveSubject } from '../contract/live-cases.ts';
import type { NetworkFacts, NetworkSubject, RunningNetwork } from '../contract/subject.ts';
import { createSwitchboard, type Switchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { asGoToSocial, createMastodonServer, type MastodonTraits } from './server.ts';

const poll = {
  options: ['Trumpet', 'Tuba'],
  expires_in: 86_400,
  multiple: true,
  hide_totals: true,
};

/** Facts of any server. Each server has its own limit for the length of a text. */
export const mastodonFacts: NetworkFacts = {
  name: 'mastodon',
  options: [
    same({ visibility: 'unlisted', language: 'de' }),
    same({ spoiler_text: 'Loud brass', sensitive: true }),
    same({ poll }),
  ],
  refusedOptions: [
    { given: { poll: { ...poll, options: ['a', 'a'] } }, path: 'poll.options', code: 'invalid' },
  ],
};

export const mastodon: NetworkSubject = {
  ...mastodonFacts,
  resolution: 'search',
  // A check lists the account's posts, and reads the source of each post that may be the target.
  calls: { commit: 1, reconcile: 2 },
  textLimit: 500,
  refusedOptions: [
    ...mastodonFacts.refusedOptions!,
    { given: { poll: { ...poll, expires_in: 299 } }, path: 'poll.expires_in', code: 'too_small' },
    {
      given: { poll: { ...poll, options: ['a', 'b', 'c', 'd', 'e'] } },
      path: 'poll.options',
      code: 'too_big',
    },
    {
      given: { poll: { ...poll, options: ['a', 'b'.repeat(51)] } },
      path: 'poll.options[1]',
      code: 'too_big',
    },
  ],
  refusal: { platformCode: '403', message: 'This action is not allowed' },

  start: (switchboard) => start(switchboard),
};

/** A server like GoToSocial, which publishes a repeat with the same key. */
export const goToSocial: NetworkSubject = {
  ...mastodon,
  title: 'mastodon, at GoToSocial',
  start: (switchboard) => start(switchboard, asGoToSocial),
};

async function start(
  switchboard: Switchboard,
  traits: MastodonTraits = {},
): Promise<RunningNetwork> {
  const network = createMastodonServer({ videoPolls: 1, ...traits });
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
}

/** Connects by consent only, without a pasted token. */
export const mastodonByConsent: LiveSubject = {
  ...mastodonFacts,
  isByConsent: true,
  textLimit: 500,
  async start(db) {
    const network = await mastodon.start(createSwitchboard(), db);
    return { ...network, credentials: {}, wrongCredentials: [] };
  },
};

/** The options arrive as they were given. */
function same(options: Record<string, unknown>) {
  return { given: options, arrives: options };
}
