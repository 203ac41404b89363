// A network of the contract test as the fault matrix takes it: started, and its account connected.
import { createSwitchboard } from '../faults.ts';
import type { NetworkKind } from '../network.ts';
import { createConnector } from './connector.ts';
import type { NetworkSubject } from './subject.ts';
import { connectTo } from '../connection.ts';

const connectTimeoutMs = 10_000;

export function toKind(subject: NetworkSubject): NetworkKind {
  return {
    ...subject,
    name: subject.title ?? subject.name,
    hasRefresh: subject.hasRefresh ?? false,
    async start(db) {
      const switchboard = createSwitchboard();
      const network = await subject.start(switchboard, db);
      const platform = switchboard.watch(createConnector(subject.name, network, switchboard));
      const signal = AbortSignal.timeout(connectTimeoutMs);
      const connection = await connectTo(platform, network, signal);
      return {
        platform,
        switchboard,
        connection,
        ...(network.app && { app: network.app }),
        ...(subject.media && { media: subject.media }),
        listPosts: () => network.listPosts(),
        countRefreshes: () => network.countRefreshes?.() ?? 0,
        listSecrets: () => network.listSecrets(),
        [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
      };
    },
  };
}
