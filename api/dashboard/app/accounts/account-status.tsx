// The state of an account, with that of its login.
import { Status } from '../components/status.tsx';
import type { AccountData } from './account-documents.ts';

export function AccountStatus({ account }: { account: AccountData }) {
  if (account.status !== 'ACTIVE') return <Status value={account.status} />;
  if (account.health?.status === 'WARNING')
    return <Status value="WARNING" label="Needs attention soon" />;
  if (account.health?.status === 'ERROR') return <Status value="ERROR" />;
  return <Status value="ACTIVE" />;
}
