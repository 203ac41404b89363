// What can be done with a webhook.
import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { CreateDialog } from '../components/create-dialog.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { navigate } from '../browser/router.ts';
import { useScope } from '../session/session.ts';
import { EditWebhook } from './edit-webhook.tsx';
import { eventName } from './event-name.ts';
import { NewSecret } from './new-webhook.tsx';
import { SendTest } from './send-test.tsx';
import { StartReplay } from './start-replay.tsx';
import { DeleteWebhook, RotateWebhook, UpdateWebhook } from './webhook-actions.ts';
import type { WebhookData } from './webhook-documents.ts';

export function WebhookTools({ webhook, reload }: { webhook: WebhookData; reload(): void }) {
  const { run, problem, isRunning } = useAction();
  const [notice, setNotice] = useState('');
  const canWrite = useScope('WEBHOOKS_WRITE');
  if (!canWrite) return null;
  const { id } = webhook;

  async function setActive(active: boolean): Promise<void> {
    if (await run(UpdateWebhook, { id, input: { active } })) reload();
  }
  async function remove(): Promise<void> {
    if (await run(DeleteWebhook, { id })) navigate('/webhooks');
  }

  return (
    <>
      <div className="actions">
        {!webhook.active && (
          <Button look="main" isRunning={isRunning} onPress={() => void setActive(true)}>
            Enable
          </Button>
        )}
        <EditWebhook webhook={webhook} reload={reload} />
        <SendTest
          webhook={webhook}
          onSent={(event) => {
            setNotice(`Sent a test event of ${eventName(event)}.`);
            reload();
          }}
        />
        <StartReplay webhookId={id} reload={reload} />
        <CreateDialog
          title="Replace the secret"
          button="Replace the secret"
          submit="Create a new one"
          create={async (_, run) => (await run(RotateWebhook, { id }))?.rotateWebhook?.secret}
          show={(secret) => <NewSecret secret={secret} />}
        >
          <p>Deliveries are signed with the old and the new secret for a day.</p>
        </CreateDialog>
        {webhook.active && (
          <Confirm
            title="Disable this webhook?"
            button="Disable"
            onConfirm={() => setActive(false)}
          >
            <p>Events are skipped until you enable it again. You can replay them then.</p>
          </Confirm>
        )}
        <Confirm title="Delete this webhook?" button="Delete" onConfirm={remove}>
          <p>Its deliveries and attempts are deleted too.</p>
        </Confirm>
      </div>
      <p role="status" className="quiet small">
        {notice}
      </p>
      <ProblemNote problem={problem} />
    </>
  );
}
