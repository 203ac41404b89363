// What is said of an account that takes no posts, and of how it is connected again.
import type { AccountStatus } from './accounts.ts';

export const lostAccountWords = {
  reconnect_required: 'has lost its access',
  disconnected: 'was disconnected',
} as const satisfies Record<Exclude<AccountStatus, 'active'>, string>;

/** With credentials that you have, or by its user. */
export const reconnectCalls =
  '`POST /v1/accounts/connect`, or for its user `POST /v1/connect/sessions`';
