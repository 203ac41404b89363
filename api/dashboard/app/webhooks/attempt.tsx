// One attempt of a delivery.
import type { ResultOf } from '../api/schema.ts';
import { Status, toWords } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { deliveryError } from './delivery-errors.ts';
import type { OneDelivery } from './webhook-documents.ts';

type AttemptData = NonNullable<
  NonNullable<ResultOf<typeof OneDelivery>['delivery']>['attempts']
>[number];

export function Attempt({ attempt }: { attempt: AttemptData }) {
  const { statusCode, errorCode, timings } = attempt;
  const isGood = statusCode !== null && statusCode >= 200 && statusCode < 300;
  return (
    <li>
      <div className="row">
        <Status
          value={isGood ? 'DELIVERED' : 'FAILED'}
          label={statusCode === null ? 'No answer' : `HTTP ${statusCode}`}
        />
        <b>Attempt {attempt.number}</b>
        {attempt.trigger === 'MANUAL' && <span className="badge">{toWords(attempt.trigger)}</span>}
        <span className="quiet small">
          {Math.round(timings.totalMs)} ms
          {attempt.remoteAddress && ` from ${attempt.remoteAddress}`}
        </span>
        <span className="push quiet small">
          <Time at={attempt.startedAt} />
        </span>
      </div>
      {errorCode && (
        <p className="problem-text">
          {deliveryError(errorCode)} <code>{errorCode}</code>
        </p>
      )}
      <p className="quiet small">
        {parts(timings)
          .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
          .join(' · ')}
      </p>
      <details>
        <summary>Headers and answer</summary>
        <h4>Request</h4>
        <HeaderList headers={attempt.requestHeaders} />
        <h4>Answer</h4>
        <HeaderList headers={attempt.responseHeaders} />
        {attempt.responseBody ? (
          <pre tabIndex={0} role="region" aria-label={`Answer to attempt ${attempt.number}`}>
            {attempt.responseBody}
          </pre>
        ) : (
          <p className="quiet">No body.</p>
        )}
      </details>
    </li>
  );
}

function parts(timings: AttemptData['timings']): [string, number][] {
  const all: [string, number | null][] = [
    ['DNS', timings.dnsMs],
    ['Connection', timings.connectMs],
    ['TLS', timings.tlsMs],
    ['First byte', timings.firstByteMs],
  ];
  return all.filter((part): part is [string, number] => part[1] !== null);
}

function HeaderList({ headers }: { headers: unknown }) {
  const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return <p className="quiet">None.</p>;
  return (
    <dl className="facts small">
      {entries.map(([name, value]) => (
        <div key={name} className="pair">
          <dt>{name}</dt>
          <dd>{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
