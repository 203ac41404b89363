// Connects with a network's form, and shows its grant together with its one account.
import type { z } from 'zod';
import { findFormWay } from '../../../activities/platforms/index.ts';
import type {
  Credentials,
  Grant,
  GrantedAccount,
  Platform,
} from '../../../activities/platforms/platform.ts';

export type Connection = Omit<Grant, 'accounts'> & Omit<GrantedAccount, 'problem'>;

interface Form {
  credentials: z.ZodType<Credentials>;
  run(credentials: Credentials, signal: AbortSignal): Promise<Connection>;
}

export function formOf(platform: Platform): Form {
  const { fields, run } = findFormWay(platform)!;
  return {
    credentials: fields,
    run: async (given, signal) => toConnection(await run(given, signal)),
  };
}

/** Throws unless the grant has exactly one account, which can publish. */
export function toConnection({ accounts, ...grant }: Grant): Connection {
  const [account, ...others] = accounts;
  if (account?.problem !== null || others.length > 0) {
    throw new Error('The grant must have exactly one account, which can publish.');
  }
  const { problem: _, ...shown } = account;
  return { ...shown, ...grant };
}

export function toGrant({ credentials, scope, tokenExpiresAt, ...account }: Connection): Grant {
  return { credentials, scope, tokenExpiresAt, accounts: [{ ...account, problem: null }] };
}
