// Makes a link with which the owner of an account connects it, or connects it again.
import { useState } from 'react';
import { useQuery } from 'urql';
import { useAction } from '../api/use-data.ts';
import { Button } from '../parts/button.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { OuterLink } from '../parts/link.tsx';
import { platformName } from '../parts/platform-name.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Time } from '../parts/time.tsx';
import { formText } from '../parts/form-text.ts';
import type { Platform } from '../api/schema.ts';
import { CreateConnectSession, Networks } from './account-documents.ts';

interface Link {
  url: string;
  expiresAt: string;
}

/** With `accountId`, connects this account again. */
export function ConnectDialog({ accountId }: { accountId?: string }) {
  const isAgain = accountId !== undefined;
  return (
    <Dialog
      title={isAgain ? 'Connect the account again' : 'Connect an account'}
      button={isAgain ? 'Reconnect' : 'Connect an account'}
      look="main"
    >
      {(close) => <Form {...(isAgain ? { accountId } : {})} close={close} />}
    </Dialog>
  );
}

function Form({ accountId, close }: { accountId?: string; close(): void }) {
  const { run, problem, isRunning } = useAction();
  const [link, setLink] = useState<Link>();
  const [networks] = useQuery({ query: Networks, pause: accountId !== undefined });

  async function create(form: FormData): Promise<void> {
    const user = formText(form, 'user');
    const platform = formText(form, 'platform') as Platform;
    const input =
      accountId === undefined ? { platform, externalUserId: user } : { socialAccountId: accountId };
    const session = (await run(CreateConnectSession, { input }))?.createConnectSession;
    if (session?.url) setLink({ url: session.url, expiresAt: session.expiresAt });
  }

  if (link) {
    return (
      <>
        <p>
          Send this link to the owner of the account. It ends <Time at={link.expiresAt} />.
        </p>
        <CopyText text={link.url} label="Link" />
        <p>
          <OuterLink href={link.url}>Open it here</OuterLink>
        </p>
        <div className="actions">
          <Button onPress={close}>Done</Button>
        </div>
      </>
    );
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void create(new FormData(event.currentTarget));
      }}
    >
      {accountId === undefined && (
        <>
          <SelectField
            label="Network"
            name="platform"
            options={(networks.data?.capabilities ?? []).map(
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
      )}
      <ProblemNote problem={problem} />
      <div className="actions">
        <Button onPress={close}>Close</Button>
        <Button type="submit" look="main" isRunning={isRunning}>
          Make a link
        </Button>
      </div>
    </form>
  );
}
