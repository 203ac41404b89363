// Changes what a client says of an account: its name, its user and the defaults of its posts.
import type { Account, UpdateAccount } from '../../schema/accounts.ts';
import {
  lockAccount,
  updateAccount as writeAccount,
} from '../../schema/database/accounts/accounts.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { readDefaultOptions } from './default-options.ts';
import { presentAccount } from './operations.ts';
import { userColumns } from './write-connection.ts';

export function updateAccount(
  context: Context,
  caller: Caller,
  id: string,
  { defaults, external_user_id: userId, ...changes }: UpdateAccount,
): Promise<Answer<Account>> {
  return transact(context, caller, async ({ trx, change }) => {
    const account = await lockAccount(trx, caller, id);
    if (account.is_erased) throw new AppError('conflict', 'The account was erased.');
    const row = await writeAccount(trx, caller.projectId, id, {
      ...changes,
      ...userColumns(account, userId),
      ...(defaults && {
        default_options: JSON.stringify(readDefaultOptions(context, account, defaults)),
      }),
    });
    change({ subject: 'account', subject_id: id, kind: 'updated' });
    return { status: 200, data: presentAccount(row) };
  });
}
