// Sends a test event of a chosen type.
import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { SelectField } from '../components/field.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { eventName } from './event-name.ts';
import { useEventTypes, type EventType } from './event-types-field.tsx';
import { TestWebhook } from './webhook-actions.ts';
import type { WebhookData } from './webhook-documents.ts';

interface SendTestProps {
  webhook: WebhookData;
  onSent(event: EventType): void;
}

export function SendTest({ webhook: { id, events }, onSent }: SendTestProps) {
  const types = useEventTypes(events).map((type) => type.event);
  const { run, problem, isRunning } = useAction();
  const [event, setEvent] = useState(events[0]);

  async function send(close: () => void): Promise<void> {
    if (!event || !(await run(TestWebhook, { id, input: { event } }))) return;
    onSent(event);
    close();
  }

  return (
    <Dialog title="Send a test event" button="Send a test event">
      {(close) => (
        <div className="form">
          <SelectField
            label="Event"
            value={event}
            onChange={({ target }) => setEvent(target.value as EventType)}
            options={[...new Set([...events, ...types])].map((one) => [one, eventName(one)])}
          />
          <ProblemNote problem={problem} />
          <div className="actions">
            <Button onPress={close}>Close</Button>
            <Button look="main" isRunning={isRunning} onPress={() => void send(close)}>
              Send
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
