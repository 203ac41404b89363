// A network that does what its script says. It has no idempotency: a repeated commit makes a second post.
import { z } from 'zod';
import type {
  Platform,
  Published,
  RefreshedCredentials,
  Target,
  Throttle,
} from '../../activities/platforms/platform.ts';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import { forEachTest } from './fixtures.ts';
import { simulatedDefinition, simulatedMedia, simulatedRules } from './networks/network.ts';

/** What the network does with the next commit. */
export type Behaviour =
  | 'publish'
  | 'lose_answer'
  | 'cut_before'
  | 'reject'
  | 'rate_limit'
  | 'rate_limit_app'
  | 'revoke_token'
  | PlatformError;

export interface ScriptedNetwork {
  readonly platform: Platform;
  /** The result ids of its posts, in order. */
  readonly posts: string[];
  /** The post that each post replies to. */
  readonly repliedTo: (string | null)[];
  /** How many commits have reached the network. */
  calls: number;
  /** Whether the network reports the IDs of its posts. */
  givesIds: boolean;
  /** Each commit takes the first entry. Without an entry, commits publish. */
  script: Behaviour[];
  /** Tokens that the network refuses. A refresh gives another token. */
  expiredTokens: Set<string>;
  refreshes: number;
  /** What the network answers to a refresh instead of new tokens. */
  refreshError?: PlatformError;
  /** Further members of the answer to a refresh. */
  refreshed?: Partial<RefreshedCredentials>;
  /** The limit that the network reports with every post that it takes. */
  throttle?: Throttle;
  /** Runs while a refresh is under way. */
  onRefresh?: () => Promise<void>;
}

/** Creates another network for each test. */
export const useScriptedNetwork = () => forEachTest(createScriptedNetwork);

export function createScriptedNetwork(): ScriptedNetwork {
  const network: ScriptedNetwork = {
    posts: [],
    repliedTo: [],
    calls: 0,
    givesIds: true,
    script: [],
    expiredTokens: new Set(),
    refreshes: 0,
    platform: {
      connect: [],
      definition: {
        ...simulatedDefinition,
        rules: { ...simulatedRules, isTextRequired: false, media: simulatedMedia, replies: null },
        options: z.looseObject({}),
      },
      refresh: async ({ credentials: { token } }) => {
        network.refreshes++;
        await network.onRefresh?.();
        if (network.refreshError) throw network.refreshError;
        return {
          credentials: { token: `${token}+` },
          tokenExpiresAt: null,
          ...network.refreshed,
        };
      },
      commit: (target) => {
        const published = toPublished(network, commit(network, target));
        return Promise.resolve({ outcome: 'published', published, throttle: network.throttle });
      },
      reconcile: ({ resultId }) => {
        const index = network.posts.indexOf(resultId);
        return Promise.resolve(
          index < 0
            ? { outcome: 'absent' }
            : { outcome: 'published', published: toPublished(network, index) },
        );
      },
    },
  };
  return network;
}

const toPublished = ({ givesIds }: ScriptedNetwork, index: number): Published => ({
  externalId: givesIds ? `post-${index}` : null,
  url: null,
  visibility: 'public',
});

/** Returns the index of the post. */
function commit(network: ScriptedNetwork, target: Target): number {
  const { resultId, credentials, replyTo } = target;
  network.calls++;
  if (network.expiredTokens.has(credentials['token']!)) {
    throw new PlatformError('reauthorize', 'The token has expired.');
  }
  const behaviour = network.script.shift() ?? 'publish';
  if (behaviour instanceof PlatformError) throw behaviour;
  switch (behaviour) {
    case 'publish':
      network.repliedTo.push(replyTo);
      return network.posts.push(resultId) - 1;
    case 'lose_answer':
      network.posts.push(resultId);
      throw new PlatformError('unknown_outcome', 'No answer.');
    case 'cut_before':
      throw new PlatformError('unavailable', 'Connection refused.', {
        platformCode: 'ECONNREFUSED',
      });
    case 'reject':
      throw new PlatformError('rejected', 'The text is not welcome here.', { platformCode: '42' });
    case 'rate_limit':
      throw new PlatformError('rate_limited', 'Slow down.', { retryAfterMs: 60_000 });
    case 'rate_limit_app':
      throw new PlatformError('rate_limited', 'Slow down, all of you.', { throttled: 'app' });
    case 'revoke_token':
      throw new PlatformError('reauthorize', 'The token was revoked.', { isRevoked: true });
  }
}
