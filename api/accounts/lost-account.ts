// The error of a request that needs the login of an account which has none.
import type { AccountStatus } from '../../schema/accounts.ts';
import { lostAccountWords, reconnectCalls } from '../../schema/posts/errors.ts';
import { AppError } from '../../schema/wire/errors.ts';

export function lostAccount(status: Exclude<AccountStatus, 'active'>): AppError {
  const code = status === 'reconnect_required' ? 'reconnect_required' : 'conflict';
  return new AppError(code, `The account ${lostAccountWords[status]}.`, {
    hint: (names) => `Connect the account again: ${reconnectCalls(names)}.`,
  });
}
