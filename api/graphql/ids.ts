// Which type of the GraphQL schema an id names: our ids are global already, by their prefixes.
import { idPrefixes, type IdKind } from '../../schema/wire/ids.ts';

const kindOf = {
  Account: 'account',
  ApiKey: 'key',
  ConnectSession: 'connectSession',
  Delivery: 'delivery',
  Event: 'event',
  Post: 'post',
  PostResult: 'result',
  Project: 'project',
  Replay: 'replay',
  Webhook: 'webhook',
} as const satisfies Record<string, IdKind>;

export type NodeTypename = keyof typeof kindOf;

const typenames = new Map<string, string>(
  Object.entries(kindOf).map(([typename, kind]) => [idPrefixes[kind], typename]),
);

/** Undefined: the id names nothing that has an id of its own. */
export function typenameOfId(id: string): string | undefined {
  return typenames.get(id.slice(0, Math.max(0, id.indexOf('_'))));
}
