// How many posts there were on each of the last days, by outcome: as bars, and in words.
import { useState } from 'react';
import { now } from '../api/clock.ts';
import { graphql } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { ownZone, toLocal } from '../compose/draft.ts';
import { Section } from '../parts/page.tsx';
import { followPosts } from '../posts/post-documents.ts';

const Outcomes = graphql(`
  query Outcomes($from: DateTime!, $to: DateTime!, $timezone: String!) {
    postCounts(from: $from, to: $to, timezone: $timezone) {
      date
      status
      count
    }
  }
`);

const days = 14;
const dayMs = 86_400_000;
const outcomes = [
  ['PUBLISHED', 'Published', 'good'],
  ['PARTIAL', 'Partial', 'wait'],
  ['FAILED', 'Failed', 'bad'],
] as const;

export function Chart() {
  const [end] = useState(now);
  const { data } = useData(
    Outcomes,
    {
      from: new Date(end - days * dayMs).toISOString(),
      to: new Date(end + dayMs).toISOString(),
      timezone: ownZone,
    },
    followPosts,
  );
  const counts = data?.postCounts ?? [];
  const dates = Array.from({ length: days }, (_, at) =>
    toLocal(end - (days - 1 - at) * dayMs).slice(0, 10),
  );
  const countOf = (date: string, status: string) =>
    counts.find((one) => one.date === date && one.status === status)?.count ?? 0;
  const sums = dates.map((date) =>
    outcomes.reduce((sum, [status]) => sum + countOf(date, status), 0),
  );
  const most = Math.max(...sums);
  if (most === 0) return null;
  return (
    <Section title="The last 14 days">
      <ol className="chart" aria-label="Posts by day and outcome">
        {dates.map((date) => (
          <li key={date}>
            <span className="hidden">{words(date, countOf)}</span>
            <span className="bars" aria-hidden="true" title={words(date, countOf)}>
              {outcomes.map(([status, , look]) => (
                <span
                  key={status}
                  className={`swatch-${look}`}
                  style={{ height: `${(countOf(date, status) / most) * 100}%` }}
                />
              ))}
            </span>
            <span className="day" aria-hidden="true">
              {date.slice(8)}
            </span>
          </li>
        ))}
      </ol>
      <p className="legend small">
        {outcomes.map(([status, label, look]) => (
          <span key={status}>
            <span className={`swatch swatch-${look}`} aria-hidden="true" /> {label}
          </span>
        ))}
      </p>
    </Section>
  );
}

function words(date: string, countOf: (date: string, status: string) => number): string {
  const counts = outcomes.map(
    ([status, label]) => `${countOf(date, status)} ${label.toLowerCase()}`,
  );
  return `${date}: ${counts.join(', ')}`;
}
