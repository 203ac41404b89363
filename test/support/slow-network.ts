// A network behind a port that answers each call only when the test lets it. Several processes can use it.
import { z } from 'zod';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import type { CommitOutcome, Platform, Target } from '../../activities/platforms/platform.ts';
import type { Phase } from '../../schema/posts/posts.ts';
import { simulatedDefinition } from './networks/network.ts';
import { startReceiver, type Reply } from './receivers/receiver.ts';

/** What the network does with one call. */
export interface Behavior {
  /** The network acts and answers when this promise resolves. Default: at once. */
  until?: Promise<unknown>;
  /** The network answers that it does not take the post. */
  refuses?: boolean;
  /** The network takes the call, but breaks the connection. */
  losesAnswer?: boolean;
  /** The network takes the commit, but finishes the post only in `confirm`. */
  accepts?: boolean;
}

export interface SlowNetwork extends AsyncDisposable {
  readonly url: string;
  /** How many calls of each phase have arrived. */
  readonly calls: Record<Phase, number>;
  /** The result ids of the network's public posts, in order. */
  readonly posts: string[];
}

/**
 * `behaviors`: for each phase, a list of what the network does with each call, beginning with the first call.
 */
export async function startSlowNetwork(
  behaviors: Partial<Record<Phase, Behavior[]>>,
): Promise<SlowNetwork> {
  const calls = { prepare: 0, commit: 0, confirm: 0, reconcile: 0 };
  const posts: string[] = [];
  const receiver = await startReceiver({
    async respond({ path, json }) {
      const phase = path.slice(1) as Phase;
      const { resultId } = json() as { resultId: string };
      const number = calls[phase]++;
      const behavior = behaviors[phase]?.[number] ?? {};
      await behavior.until;
      if (behavior.refuses) return { status: 422 };
      if (phase === 'commit') posts.push(resultId);
      return behavior.losesAnswer ? 'reset' : answerTo(phase, resultId, behavior);
    },
  });

  function answerTo(phase: Phase, resultId: string, { accepts }: Behavior): Reply {
    const isPublic = posts.includes(resultId);
    const published = {
      externalId: `post-${posts.indexOf(resultId)}`,
      url: null,
      visibility: null,
    };
    if (phase === 'prepare') return { body: JSON.stringify({ outcome: 'prepared', state: {} }) };
    if (accepts) return { body: JSON.stringify({ outcome: 'accepted', state: {} }) };
    const found = isPublic ? { outcome: 'published', published } : { outcome: 'absent' };
    return { body: JSON.stringify(found) };
  }

  return { url: receiver.url, calls, posts, [Symbol.asyncDispose]: () => receiver.close() };
}

/** The connector to the network at `url`. */
export function connectSlowNetwork(url: string): Platform {
  async function call<T>(phase: Phase, { resultId }: Target, signal: AbortSignal): Promise<T> {
    const response = await fetch(`${url}/${phase}`, {
      method: 'POST',
      body: JSON.stringify({ resultId }),
      signal,
    }).catch((error: unknown) => {
      throw new PlatformError('unknown_outcome', String(error));
    });
    if (!response.ok) throw new PlatformError('rejected', 'The network does not take it.');
    return (await response.json()) as T;
  }
  return {
    definition: { ...simulatedDefinition, options: z.looseObject({}) },
    connect: [],
    prepare: (target, signal) => call('prepare', target, signal),
    commit: (target, signal) => call<CommitOutcome>('commit', target, signal),
    confirm: (target, signal) => call<CommitOutcome>('confirm', target, signal),
    reconcile: (target, signal) => call('reconcile', target, signal),
  };
}
