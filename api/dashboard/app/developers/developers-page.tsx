// For programmers: the events as they are recorded, and the request behind each page.
import { print } from '@0no-co/graphql.web';
import { useData } from '../api/use-data.ts';
import { CopyText } from '../components/copy-text.tsx';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, Section } from '../components/page.tsx';
import { Time } from '../components/time.tsx';
import { useScope } from '../session/session.ts';
import { eventName } from '../webhooks/event-name.ts';
import { calls } from './calls.ts';
import { EventList, followEvents } from './developers-documents.ts';

export function DevelopersPage() {
  const canReadEvents = useScope('WEBHOOKS_READ');
  return (
    <Page title="Developers">
      <p>
        This dashboard uses the public API only. <a href="/docs">API reference</a>
      </p>
      {canReadEvents && <Events />}
      <Section title="The request behind each page">
        <p className="quiet">
          Set <code>$KEY</code> to an API key. The streams are in the reference of the schema.
        </p>
        {calls.map(({ page, query, variables }) => (
          <details key={page}>
            <summary>{page}</summary>
            <h3>GraphQL</h3>
            <CopyText
              label={`GraphQL of ${page}`}
              text={print(query as Parameters<typeof print>[0])}
            />
            <h3>curl</h3>
            <CopyText
              label={`curl of ${page}`}
              text={toCurl(print(query as Parameters<typeof print>[0]), variables)}
            />
          </details>
        ))}
      </Section>
    </Page>
  );
}

function toCurl(query: string, variables: Record<string, unknown>): string {
  const body = JSON.stringify({ query: query.replace(/\s+/g, ' '), variables });
  return [
    `curl -sS ${location.origin}/graphql -H "Authorization: Bearer $KEY"`,
    `  -H 'Content-Type: application/json' -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(' \\\n');
}

function Events() {
  const found = useData(EventList, {}, followEvents);
  return (
    <Section title="Events">
      <Loaded of={found} pick={({ events }) => events}>
        {({ nodes }) => (
          <>
            {nodes.length === 0 && (
              <Empty title="No event yet">
                <p>Each concluded post records one, also without a webhook.</p>
              </Empty>
            )}
            <ul className="list" aria-label="Events">
              {nodes.map(({ id, event, timestamp, postId, socialAccountId }) => (
                <li key={id}>
                  <div className="row">
                    <b>{eventName(event)}</b>
                    {postId && <Link to={`/posts/${postId}`}>{postId}</Link>}
                    {!postId && socialAccountId && (
                      <Link to={`/accounts/${socialAccountId}`}>{socialAccountId}</Link>
                    )}
                    <span className="push quiet small">
                      <Time at={timestamp} />
                    </span>
                  </div>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}
