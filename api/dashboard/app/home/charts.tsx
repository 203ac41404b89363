// Posts and deliveries of each of the last days, by outcome.
import { useState } from 'react';
import { now } from '../api/clock.ts';
import { graphql } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { dayMs, dayOf, ownZone } from '../browser/days.ts';
import { Section } from '../components/page.tsx';
import { followPosts } from '../posts/post-documents.ts';
import { followDeliveries } from '../webhooks/webhook-documents.ts';
import { Chart, type Outcome } from './chart.tsx';

const PublishingOutcomes = graphql(`
  query PublishingOutcomes($from: DateTime!, $to: DateTime!, $timezone: String!) {
    postCounts(from: $from, to: $to, timezone: $timezone) {
      date
      status
      count
    }
  }
`);

const DeliveryOutcomes = graphql(`
  query DeliveryOutcomes($from: DateTime!, $to: DateTime!, $timezone: String!) {
    deliveryCounts(from: $from, to: $to, timezone: $timezone) {
      date
      status
      count
    }
  }
`);

const days = 14;
/** Counting days reads many rows, so a busy project is counted seldom. */
const againMs = 20_000;

const ofPosts: readonly Outcome[] = [
  ['PUBLISHED', 'Published', 'good'],
  ['PARTIAL', 'Partial', 'wait'],
  ['FAILED', 'Failed', 'bad'],
];
const ofDeliveries: readonly Outcome[] = [
  ['DELIVERED', 'Delivered', 'good'],
  ['RETRYING', 'Retrying', 'wait'],
  ['FAILED', 'Failed', 'bad'],
];

interface ChartsProps {
  canReadPosts: boolean;
  canReadWebhooks: boolean;
}

export function Charts({ canReadPosts, canReadWebhooks }: ChartsProps) {
  return (
    <Section title="The last 14 days">
      <div className="charts">
        {canReadPosts && <Publishing />}
        {canReadWebhooks && <Deliveries />}
      </div>
    </Section>
  );
}

function Publishing() {
  const { period, dates } = useLastDays();
  const { data } = useData(PublishingOutcomes, period, followPosts, { againMs });
  return (
    <Chart
      title="Publishing"
      label="Posts by day and outcome"
      nothing="No post was published or failed."
      dates={dates}
      counts={data?.postCounts ?? undefined}
      outcomes={ofPosts}
    />
  );
}

function Deliveries() {
  const { period, dates } = useLastDays();
  const { data } = useData(DeliveryOutcomes, period, followDeliveries, { againMs });
  return (
    <Chart
      title="Deliveries"
      label="Deliveries by day and outcome"
      nothing="No event was sent to a webhook."
      dates={dates}
      counts={data?.deliveryCounts ?? undefined}
      outcomes={ofDeliveries}
    />
  );
}

function useLastDays() {
  // The same period for as long as the page is open, so that the query stays the same.
  const [end] = useState(now);
  const period = {
    from: new Date(end - days * dayMs).toISOString(),
    to: new Date(end + dayMs).toISOString(),
    timezone: ownZone,
  };
  const dates = Array.from({ length: days }, (_, at) => dayOf(end - (days - 1 - at) * dayMs));
  return { period, dates };
}
