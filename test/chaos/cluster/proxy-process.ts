// The process of `proxies.ts`. It ends with its parent.
import { startProxy } from '../../support/servers/proxy.ts';
import type { Order } from './proxies.ts';

const targets = (JSON.parse(process.argv[2]!) as number[]).map((port) => ({ port }));
const proxies = await Promise.all(targets.map(startProxy));
process.on('message', ({ id, index, change }: Order) => {
  if (typeof change === 'object') targets[index]!.port = change.targetPort;
  else proxies[index]![change]();
  process.send!(id);
});
process.on('disconnect', () => process.exit());
process.send!(proxies.map(({ port }) => port));
