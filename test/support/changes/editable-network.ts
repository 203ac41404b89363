// A network whose posts can be edited and removed, and whose answers can be lost.
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Platform, PublishedPost } from '../../../activities/platforms/platform.ts';
import { publishedAs } from '../../../activities/platforms/results.ts';
import { forEachTest } from '../fixtures.ts';
import { simulatedDefinition, type SimulatedNetwork } from '../networks/network.ts';

/** What the network does with a call. `lose_answer`: it carries out the call. `cut`: it doesn't. */
export type Behavior = 'lose_answer' | 'cut' | PlatformError;

export interface EditableNetwork extends Pick<SimulatedNetwork, 'platform' | 'connection'> {
  /** Captions of its posts by their IDs. */
  readonly posts: Map<string, string>;
  /** Calls that change a post, such as `remove post-1`. */
  readonly calls: string[];
  readonly lookUps: string[];
  /** Each change takes the first entry. Without an entry, changes are made. */
  script: Behavior[];
  /** Each look-up takes the first entry and fails. */
  lookUpErrors: PlatformError[];
  /** Runs in the middle of a change. */
  onCall?: () => Promise<void>;
}

export const useEditableNetwork = () => forEachTest(createEditableNetwork);

const gone = () =>
  new PlatformError('rejected', 'There is no such post.', { failsAs: 'post_gone' });

export function createEditableNetwork(): EditableNetwork {
  async function change(name: string, post: PublishedPost, carryOut: () => void): Promise<void> {
    network.calls.push(`${name} ${post.externalId}`);
    await network.onCall?.();
    const behavior = network.script.shift();
    if (behavior instanceof PlatformError) throw behavior;
    if (behavior === 'cut') throw new PlatformError('unknown_outcome', 'No answer.');
    if (!network.posts.has(post.externalId)) throw gone();
    carryOut();
    if (behavior === 'lose_answer') throw new PlatformError('unknown_outcome', 'No answer.');
  }

  async function lookUp<T>(name: string, post: PublishedPost, find: () => T): Promise<T> {
    network.lookUps.push(`${name} ${post.externalId}`);
    const error = network.lookUpErrors.shift();
    if (error) throw error;
    return Promise.resolve(find());
  }

  const platform: Platform = {
    connect: [],
    definition: simulatedDefinition,
    refresh: ({ credentials: { token } }) =>
      Promise.resolve({ credentials: { token: `${token}+` }, tokenExpiresAt: null }),
    commit({ caption }) {
      const id = `post-${network.posts.size + 1}`;
      network.posts.set(id, caption);
      return Promise.resolve(publishedAs(id, null, 'public'));
    },
    reconcile: () => Promise.resolve({ outcome: 'absent' }),
    unpublish: {
      remove: (post, _signal) =>
        change('remove', post, () => network.posts.delete(post.externalId)),
      exists: (post, _signal) => lookUp('exists', post, () => network.posts.has(post.externalId)),
    },
    edit: {
      apply: (post, _signal) =>
        change('edit', post, () => network.posts.set(post.externalId, post.caption)),
      isApplied: (post, _signal) =>
        lookUp('isApplied', post, () => {
          if (!network.posts.has(post.externalId)) throw gone();
          return network.posts.get(post.externalId) === post.caption;
        }),
      visibilityOf: ({ changed }) => changed.platform_options?.['visibility'] as string | undefined,
    },
  };
  const connection = {
    credentials: { token: 't' },
    scope: [],
    tokenExpiresAt: null,
    externalAccountId: 'ada',
    accountName: 'ada',
  };
  const network: EditableNetwork = {
    platform,
    connection,
    posts: new Map(),
    calls: [],
    lookUps: [],
    script: [],
    lookUpErrors: [],
  };
  return network;
}
