// Words for an account that has lost its access, and for connecting it again.
import type { Names } from '../wire/names.ts';

export const lostAccountWords = {
  reconnect_required: 'has lost its access',
  disconnected: 'was disconnected',
} as const;

/** With your credentials, or by the user. */
export const reconnectCalls = ({ operation }: Names) =>
  `${operation('connectAccount')}, or for its user ${operation('createConnectSession')}`;
