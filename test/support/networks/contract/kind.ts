// A network of the contract test in the form that the fault matrix needs: started, and its account connected.
import { createSwitchboard } from '../faults.ts';
import type { NetworkKind } from '../network.ts';
import { createConnector } from './connector.ts';
import type { Platform } from '../../../../activities/platforms/platform.ts';
import type { NetworkSubject, RunningNetwork } from './subject.ts';
import { connectTo, toConnection } from '../connection.ts';

const connectTimeoutMs = 10_000;

/** Connects as a user of the network does. */
async function connect(platform: Platform, network: RunningNetwork) {
  if (network.logIn) {
    const { grant, app } = await network.logIn(platform);
    return { connection: toConnection(grant), app };
  }
  const { app } = network;
  const signal = AbortSignal.timeout(connectTimeoutMs);
  return { connection: await connectTo(platform, network, signal), ...(app && { app }) };
}

export function toKind(subject: NetworkSubject): NetworkKind {
  return {
    ...subject,
    name: subject.title ?? subject.name,
    hasRefresh: subject.hasRefresh ?? false,
    async start(db) {
      const switchboard = createSwitchboard();
      const network = await subject.start(switchboard, db);
      const connector = createConnector(subject.name, network, switchboard);
      const platform = switchboard.watch(withoutClock(connector));
      return {
        platform,
        switchboard,
        ...(await connect(platform, network)),
        ...(subject.media && { media: subject.media }),
        ...(subject.requiredOptions && { options: subject.requiredOptions }),
        listPosts: () => network.listPosts(),
        countRefreshes: () => network.countRefreshes?.() ?? 0,
        listSecrets: () => network.listSecrets(),
        [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
      };
    },
  };
}

/** Removes the network's own clock, so that the test's clock decides how long the engine waits. */
function withoutClock(platform: Platform): Platform {
  const { clock: _, ...definition } = platform.definition;
  return { ...platform, definition };
}
