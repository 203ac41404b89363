// One webhook: its state, its deliveries as they happen, and its replays.
import { useData } from '../api/use-data.ts';
import type { DeliveryStatus } from '../api/schema.ts';
import { Empty } from '../components/empty.tsx';
import { SelectField } from '../components/field.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, Section, type PageProps } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { useFilters } from '../browser/router.ts';
import { toWords } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { DeliveryItem } from './delivery-item.tsx';
import { eventName } from './event-name.ts';
import { Replays } from './replays.tsx';
import { followWebhook, OneWebhook, type WebhookData } from './webhook-documents.ts';
import { WebhookTools } from './webhook-tools.tsx';
import { WebhookStatus } from './webhook-status.tsx';

const statuses: readonly DeliveryStatus[] = [
  'PENDING',
  'RETRYING',
  'DELIVERED',
  'FAILED',
  'SKIPPED',
  'CANCELED',
];

export function WebhookPage({ id }: PageProps) {
  const [{ after, status }, change] = useFilters();
  const found = useData(
    OneWebhook,
    { id, after: after ?? null, status: (status as DeliveryStatus) ?? null },
    followWebhook(id),
  );
  const webhook = found.data?.webhook;
  return (
    <Page title={webhook?.name ?? webhook?.url ?? 'Webhook'}>
      <Loaded of={found} pick={(data) => data.webhook} missing="The webhook was deleted.">
        {(one) => (
          <>
            <WebhookTools webhook={one} reload={found.reload} />
            <Facts webhook={one} />
            <Replays webhookId={id} />
            <Section title="Deliveries">
              <div className="filters">
                <SelectField
                  label="Status"
                  value={status ?? ''}
                  onChange={(event) => change({ status: event.target.value, after: '' })}
                  options={[['', 'All'], ...statuses.map((name) => [name, toWords(name)] as const)]}
                />
              </div>
              {one.deliveries?.nodes.length === 0 && (
                <Empty title={status ? 'No delivery has this status' : 'Nothing was sent yet'}>
                  {!status && <p>Send a test event, or publish a post.</p>}
                </Empty>
              )}
              <ul className="list" aria-label="Deliveries">
                {one.deliveries?.nodes.map((delivery) => (
                  <DeliveryItem key={delivery.id} delivery={delivery} />
                ))}
              </ul>
              {one.deliveries && <Pager pageInfo={one.deliveries.pageInfo} />}
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ webhook }: { webhook: WebhookData }) {
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <WebhookStatus webhook={webhook} />
        {webhook.disabledReason === 'FAILURES' && ' Every attempt failed for too long.'}
      </dd>
      {webhook.failingSince && (
        <>
          <dt>Failing since</dt>
          <dd>
            <Time at={webhook.failingSince} />
            {webhook.consecutiveFailures > 0 &&
              `, ${webhook.consecutiveFailures} ${webhook.consecutiveFailures === 1 ? 'event' : 'events in a row'}`}
          </dd>
        </>
      )}
      <dt>URL</dt>
      <dd>{webhook.url}</dd>
      <dt>Events</dt>
      <dd>{webhook.events.map(eventName).join(', ')}</dd>
      <dt>Secret</dt>
      <dd>
        <code>{webhook.secretPreview}</code>
      </dd>
    </dl>
  );
}
