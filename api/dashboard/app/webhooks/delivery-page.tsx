// One delivery: what was sent, what was answered, and when.
import { useEffect, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import type { ResultOf } from '../api/schema.ts';
import { Button } from '../components/button.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, Section, type PageProps } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { useScope } from '../session/session.ts';
import { Attempt } from './attempt.tsx';
import { eventName } from './event-name.ts';
import { RetryDelivery } from './webhook-actions.ts';
import { followDelivery, OneDelivery } from './webhook-documents.ts';

const triggers = { EVENT: 'an event', REPLAY: 'a replay', TEST: 'a test' } as const;

type Found = NonNullable<ResultOf<typeof OneDelivery>['delivery']>;

export function DeliveryPage({ id }: PageProps) {
  const found = useData(OneDelivery, { id }, followDelivery(id));
  const event = found.data?.delivery?.event;
  return (
    <Page title={event ? `Delivery of ${eventName(event)}` : 'Delivery'}>
      <Loaded of={found} pick={({ delivery }) => delivery} missing="The delivery was deleted.">
        {(delivery) => (
          <>
            <Retry delivery={delivery} reload={found.reload} />
            <Facts delivery={delivery} />
            <Section title="Attempts">
              {delivery.attempts?.length === 0 && <p className="quiet">None yet.</p>}
              <ul className="list" aria-label="Attempts">
                {delivery.attempts?.map((attempt) => (
                  <Attempt key={attempt.number} attempt={attempt} />
                ))}
              </ul>
            </Section>
            {delivery.recordedEvent && (
              <Section title="Body">
                <pre tabIndex={0} role="region" aria-label="Body of the request">
                  {pretty(delivery.recordedEvent.body)}
                </pre>
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ delivery }: { delivery: Found }) {
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <Status value={delivery.status} />
        {delivery.nextAttemptAt && (
          <>
            {' '}
            Next attempt <Time at={delivery.nextAttemptAt} />
          </>
        )}
      </dd>
      <dt>Webhook</dt>
      <dd>
        <Link to={`/webhooks/${delivery.webhookId}`}>{delivery.webhook?.name ?? delivery.url}</Link>
      </dd>
      {delivery.postId && (
        <>
          <dt>Post</dt>
          <dd>
            <Link to={`/posts/${delivery.postId}`}>{delivery.postId}</Link>
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={delivery.createdAt} />, for {triggers[delivery.trigger]}
      </dd>
      <dt>ID</dt>
      <dd>
        <code>{delivery.id}</code>
      </dd>
    </dl>
  );
}

function Retry({ delivery, reload }: { delivery: Found; reload(): void }) {
  const { run, problem, isRunning } = useAction();
  const [notice, setNotice] = useState('');
  const canWrite = useScope('WEBHOOKS_WRITE');
  useEffect(() => setNotice(''), [delivery.status]);
  if (!canWrite) return null;

  async function retry(): Promise<void> {
    const retried = (await run(RetryDelivery, { id: delivery.id }))?.retryDelivery;
    if (!retried) return;
    setNotice(retried.notice ?? 'An attempt has been started.');
    reload();
  }

  return (
    <>
      <div className="actions">
        <Button
          look={delivery.status === 'FAILED' ? 'main' : 'plain'}
          isRunning={isRunning}
          onPress={() => void retry()}
        >
          Send it again
        </Button>
      </div>
      <p role="status" className="quiet small">
        {notice}
      </p>
      <ProblemNote problem={problem} />
    </>
  );
}

/** The body as it was signed has no line breaks. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
