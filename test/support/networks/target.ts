// The target that a connector is given for a new post.
import type {
  CommitOutcome,
  Platform,
  ProviderState,
  Target,
} from '../../../activities/platforms/platform.ts';
import { newId } from '../../../schema/wire/ids.ts';
import type { Connection } from './connection.ts';

/** A text post of the connected account, with the given changes. */
export function targetOf(
  { externalAccountId, credentials, traits = {} }: Connection,
  change: Partial<Target> = {},
): Target {
  return {
    resultId: newId('result'),
    externalAccountId,
    caption: 'Hello',
    media: [],
    replyTo: null,
    platformOptions: {},
    dueAt: new Date(),
    credentials,
    state: {},
    traits,
    ...change,
  };
}

/** Takes every step of the target's prepare. Returns the state for the commit. */
export async function prepareTarget(
  platform: Platform,
  target: Target,
  signal: AbortSignal,
): Promise<ProviderState> {
  for (let { state } = target; ;) {
    const step = await platform.prepare!({ ...target, state }, signal);
    if (step.outcome === 'prepared') return step.state;
    state = step.state;
  }
}

/** Commits a prepared target, and confirms it until the network has finished. */
export async function publishTarget(
  platform: Platform,
  target: Target,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  let outcome = await platform.commit(target, signal);
  while (outcome.outcome === 'accepted') {
    outcome = await platform.confirm!({ ...target, state: outcome.state }, signal);
  }
  return outcome;
}

const never = new AbortController().signal;

/** The phases of a connector, each called by itself. */
export function phasesOf(platform: Platform) {
  /** Returns the target with the state for its commit. */
  const prepare = async (target: Target): Promise<Target> => ({
    ...target,
    state: await prepareTarget(platform, target, never),
  });
  const commit = (target: Target) => platform.commit(target, never);
  return {
    prepareStep: (target: Target) => platform.prepare!(target, never),
    prepare,
    commit,
    publish: async (target: Target) => commit(await prepare(target)),
    reconcile: (target: Target) => platform.reconcile!(target, never),
  };
}
