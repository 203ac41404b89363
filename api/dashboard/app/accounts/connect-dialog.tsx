// Creates a link with which the owner of an account connects it, or connects it again.
import { useQuery } from 'urql';
import type { Platform } from '../api/schema.ts';
import type { Action } from '../api/use-action.ts';
import { CopyText } from '../components/copy-text.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { formText } from '../browser/form-text.ts';
import { OuterLink } from '../components/link.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { platformName } from '../components/platform-name.ts';
import { Time } from '../components/time.tsx';
import { CreateConnectSession, Networks } from './account-documents.ts';

interface Link {
  url: string;
  expiresAt: string;
}

/** With `accountId`, connects this account again. */
export function ConnectDialog({ accountId }: { accountId?: string }) {
  const isAgain = accountId !== undefined;

  async function create(form: FormData, run: Action['run']): Promise<Link | undefined> {
    const input = isAgain
      ? { socialAccountId: accountId }
      : {
          platform: formText(form, 'platform') as Platform,
          externalUserId: formText(form, 'user'),
        };
    const session = (await run(CreateConnectSession, { input }))?.createConnectSession;
    return session?.url ? { url: session.url, expiresAt: session.expiresAt } : undefined;
  }

  return (
    <CreateDialog
      title={isAgain ? 'Connect the account again' : 'Connect an account'}
      button={isAgain ? 'Reconnect' : 'Connect an account'}
      look="main"
      submit="Create a link"
      create={create}
      show={(link) => (
        <>
          <p>
            Send this link to the owner of the account. It expires <Time at={link.expiresAt} />.
          </p>
          <CopyText text={link.url} label="Link" />
          <p>
            <OuterLink href={link.url}>Open it here</OuterLink>
          </p>
        </>
      )}
    >
      {!isAgain && <NewAccountFields />}
    </CreateDialog>
  );
}

function NewAccountFields() {
  const [{ data }] = useQuery({ query: Networks });
  return (
    <>
      <SelectField
        label="Network"
        name="platform"
        options={(data?.capabilities ?? []).map(
          ({ platform }) => [platform, platformName(platform)] as const,
        )}
      />
      <TextField
        label="User ID"
        name="user"
        at="externalUserId"
        required
        help="The ID of the account's owner in your system."
      />
    </>
  );
}
