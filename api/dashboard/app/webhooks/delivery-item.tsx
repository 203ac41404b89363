// A delivery in a list.
import { Link } from '../components/link.tsx';
import { Status, toWords } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { deliveryError } from './delivery-errors.ts';
import { eventName } from './event-name.ts';
import type { DeliveryData } from './webhook-documents.ts';

interface DeliveryItemProps {
  delivery: DeliveryData;
  /** The webhook, unless the page says it. */
  to?: string;
}

export function DeliveryItem({ delivery, to }: DeliveryItemProps) {
  const { status, event, trigger, lastErrorCode, createdAt } = delivery;
  return (
    <li>
      <div className="row">
        <Status value={status} />
        <Link to={`/deliveries/${delivery.id}`} className="row-title">
          {eventName(event)}
        </Link>
        {trigger !== 'EVENT' && <span className="badge">{toWords(trigger)}</span>}
        <span className="quiet small">{outcomeOf(delivery)}</span>
        <span className="push quiet small">
          <Time at={createdAt} />
        </span>
      </div>
      {to !== undefined && <p className="quiet small">{to}</p>}
      {lastErrorCode && <p className="small">{deliveryError(lastErrorCode)}</p>}
    </li>
  );
}

function outcomeOf({ lastStatusCode, lastErrorCode, attemptCount }: DeliveryData): string {
  const answer = lastStatusCode === null ? (lastErrorCode ?? '') : `HTTP ${lastStatusCode}`;
  const attempts = attemptCount > 1 ? `${attemptCount} attempts` : '';
  return [answer, attempts].filter(Boolean).join(', ');
}
