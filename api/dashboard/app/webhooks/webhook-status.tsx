// The state of a webhook, and whether its deliveries fail.
import { Status } from '../components/status.tsx';
import type { WebhookData } from './webhook-documents.ts';

export function WebhookStatus({ webhook }: { webhook: WebhookData }) {
  if (webhook.status === 'DISABLED') return <Status value="DISABLED" />;
  if (webhook.failingSince) return <Status value="WARNING" label="Failing" />;
  return <Status value="ACTIVE" />;
}
