// Changes the address, the name and the event types of a webhook.
import { changesOf } from '../api/changes.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { ProblemAtFields } from '../components/form-issues.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { formText } from '../browser/form-text.ts';
import { EventTypesField, readEvents, useEventTypes } from './event-types-field.tsx';
import { UpdateWebhook } from './webhook-actions.ts';
import type { WebhookData } from './webhook-documents.ts';

interface EditWebhookProps {
  webhook: WebhookData;
  reload(): void;
}

export function EditWebhook(props: EditWebhookProps) {
  return (
    <Dialog title="Edit the webhook" button="Edit">
      {(close) => <Form {...props} close={close} />}
    </Dialog>
  );
}

function Form({ webhook, reload, close }: EditWebhookProps & { close(): void }) {
  const { run, problem, isRunning } = useAction();
  const { id, url, name, events } = webhook;
  const types = useEventTypes(events);

  async function save(form: FormData): Promise<void> {
    const after = {
      url: formText(form, 'url'),
      name: formText(form, 'name') || null,
      // Before the types are there, the form has none.
      events: types.length === 0 ? events : readEvents(form, events),
    };
    if (!(await run(UpdateWebhook, { id, input: changesOf({ url, name, events }, after) }))) return;
    reload();
    close();
  }

  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <ProblemAtFields problem={problem}>
        <TextField label="URL" name="url" type="url" defaultValue={url} />
        <TextField label="Name (optional)" name="name" defaultValue={name ?? ''} />
        <EventTypesField key={types.length} types={types} chosen={events} />
        <ProblemNote problem={problem} />
      </ProblemAtFields>
      <div className="actions">
        <Button onPress={close}>Close</Button>
        <Button type="submit" look="main" isRunning={isRunning}>
          Save
        </Button>
      </div>
    </form>
  );
}
