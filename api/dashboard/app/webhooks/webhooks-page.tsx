// The list of webhooks.
import { useData } from '../api/use-data.ts';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { useFilters } from '../browser/router.ts';
import { Time } from '../components/time.tsx';
import { useScope } from '../session/session.ts';
import { NewWebhook } from './new-webhook.tsx';
import { followWebhooks, WebhookList, type WebhookData } from './webhook-documents.ts';
import { WebhookStatus } from './webhook-status.tsx';

export function WebhooksPage() {
  const [{ after }] = useFilters();
  const canWrite = useScope('WEBHOOKS_WRITE');
  const found = useData(WebhookList, { after: after ?? null }, followWebhooks);
  return (
    <Page title="Webhooks" actions={canWrite && <NewWebhook reload={found.reload} />}>
      <Loaded of={found} pick={({ webhooks }) => webhooks}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 && (
              <Empty title="No webhook yet">
                <p>
                  Add the URL of your program. Fanfare then tells it about every post that is
                  published or fails.
                </p>
              </Empty>
            )}
            <ul className="list" aria-label="Webhooks">
              {nodes.map((webhook) => (
                <WebhookItem key={webhook.id} webhook={webhook} />
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function WebhookItem({ webhook }: { webhook: WebhookData }) {
  return (
    <li>
      <div className="row">
        <WebhookStatus webhook={webhook} />
        <Link to={`/webhooks/${webhook.id}`} className="row-title">
          {webhook.name ?? webhook.url}
        </Link>
        {webhook.environment === 'TEST' && <span className="badge">Test</span>}
        <span className="push quiet small">
          {webhook.lastDeliveryAt ? (
            <>
              Last delivered <Time at={webhook.lastDeliveryAt} />
            </>
          ) : (
            'Nothing delivered yet'
          )}
        </span>
      </div>
      {webhook.name && <p className="quiet small">{webhook.url}</p>}
    </li>
  );
}
