// Adds a webhook, and shows its secret once.
import type { Action } from '../api/use-action.ts';
import { CopyText } from '../components/copy-text.tsx';
import { TextField } from '../components/field.tsx';
import { formText } from '../browser/form-text.ts';
import { CreateDialog } from '../components/create-dialog.tsx';
import { EventTypesField, readEvents, useEventTypes } from './event-types-field.tsx';
import { CreateWebhook } from './webhook-actions.ts';

export function NewWebhook({ reload }: { reload(): void }) {
  const types = useEventTypes([]);
  const all = types.map(({ event }) => event);
  async function create(form: FormData, run: Action['run']): Promise<string | undefined> {
    const name = formText(form, 'name');
    const events = readEvents(form, all);
    const input = {
      url: formText(form, 'url'),
      ...(name === '' ? {} : { name }),
      // Of all types, it also gets those to come.
      ...(events.length === all.length ? {} : { events }),
    };
    const created = (await run(CreateWebhook, { input }))?.createWebhook;
    if (created) reload();
    return created?.secret;
  }
  return (
    <CreateDialog
      title="New webhook"
      button="New webhook"
      look="main"
      submit="Add"
      create={create}
      show={(secret) => <NewSecret secret={secret} />}
    >
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        help="It receives a POST for each event."
      />
      <TextField label="Name (optional)" name="name" />
      <EventTypesField key={types.length} types={types} chosen={all} />
    </CreateDialog>
  );
}

export function NewSecret({ secret }: { secret: string }) {
  return (
    <>
      <p>Your program checks signatures with this secret. It is shown only now.</p>
      <CopyText text={secret} label="Secret" />
    </>
  );
}
