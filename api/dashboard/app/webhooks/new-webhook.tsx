// Adds a webhook, and shows its secret once.
import { useState } from 'react';
import { useAction } from '../api/use-data.ts';
import { Button } from '../parts/button.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { formText } from '../parts/form-text.ts';
import { CreateWebhook } from './webhook-actions.ts';

export function NewWebhook({ reload }: { reload(): void }) {
  return (
    <Dialog title="New webhook" button="New webhook" look="main">
      {(close) => <Form reload={reload} close={close} />}
    </Dialog>
  );
}

function Form({ reload, close }: { reload(): void; close(): void }) {
  const { run, problem, isRunning } = useAction();
  const [secret, setSecret] = useState<string>();

  async function create(form: FormData): Promise<void> {
    const name = formText(form, 'name');
    const input = { url: formText(form, 'url'), ...(name === '' ? {} : { name }) };
    const created = (await run(CreateWebhook, { input }))?.createWebhook;
    if (!created) return;
    setSecret(created.secret);
    reload();
  }

  if (secret !== undefined) return <NewSecret secret={secret} close={close} />;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void create(new FormData(event.currentTarget));
      }}
    >
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        help="It receives a POST for each event."
      />
      <TextField label="Name (optional)" name="name" />
      <ProblemNote problem={problem} />
      <div className="actions">
        <Button onPress={close}>Close</Button>
        <Button type="submit" look="main" isRunning={isRunning}>
          Add
        </Button>
      </div>
    </form>
  );
}

export function NewSecret({ secret, close }: { secret: string; close(): void }) {
  return (
    <>
      <p>Your program checks signatures with this secret. It is shown only now.</p>
      <CopyText text={secret} label="Secret" />
      <div className="actions">
        <Button onPress={close}>Done</Button>
      </div>
    </>
  );
}
