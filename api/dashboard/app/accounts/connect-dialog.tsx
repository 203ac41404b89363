// Makes a link with which the owner of an account connects it, or connects it again.
import { useQuery } from 'urql';
import type { Platform } from '../api/schema.ts';
import type { Action } from '../api/use-data.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { formText } from '../parts/form-text.ts';
import { OuterLink } from '../parts/link.tsx';
import { MakeDialog } from '../parts/make-dialog.tsx';
import { platformName } from '../parts/platform-name.ts';
import { Time } from '../parts/time.tsx';
import { CreateConnectSession, Networks } from './account-documents.ts';

interface Link {
  url: string;
  expiresAt: string;
}

/** With `accountId`, connects this account again. */
export function ConnectDialog({ accountId }: { accountId?: string }) {
  const isAgain = accountId !== undefined;

  async function make(form: FormData, run: Action['run']): Promise<Link | undefined> {
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
    <MakeDialog
      title={isAgain ? 'Connect the account again' : 'Connect an account'}
      button={isAgain ? 'Reconnect' : 'Connect an account'}
      look="main"
      submit="Make a link"
      make={make}
      show={(link) => (
        <>
          <p>
            Send this link to the owner of the account. It ends <Time at={link.expiresAt} />.
          </p>
          <CopyText text={link.url} label="Link" />
          <p>
            <OuterLink href={link.url}>Open it here</OuterLink>
          </p>
        </>
      )}
    >
      {!isAgain && <NewAccountFields />}
    </MakeDialog>
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
        label="Your ID of the user"
        name="user"
        required
        help="Who owns the account, as your system calls them."
      />
    </>
  );
}
