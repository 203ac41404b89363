// The deliveries of what happened to a post, as they happen.
import { graphql } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { visibleProblem } from '../api/visible-problem.ts';
import { DeliveryItem } from '../webhooks/delivery-item.tsx';
import { DeliveryRow, followDeliveries } from '../webhooks/webhook-documents.ts';

const most = 20;

const DeliveriesOfPost = graphql(
  `
    query DeliveriesOfPost($id: ID!, $first: Int!) {
      post(id: $id) {
        id
        deliveries(first: $first) {
          nodes {
            ...DeliveryRow
            webhook {
              id
              name
              url
            }
          }
          pageInfo {
            hasNextPage
          }
        }
      }
    }
  `,
  [DeliveryRow],
);

export function PostDeliveries({ postId }: { postId: string }) {
  const { data, problem } = useData(
    DeliveriesOfPost,
    { id: postId, first: most },
    followDeliveries,
  );
  const found = data?.post?.deliveries;
  if (!problem && !found?.nodes.length) return null;
  return (
    <Section title="Deliveries">
      <ProblemNote problem={visibleProblem(problem)} />
      <ul className="list" aria-label="Deliveries">
        {found?.nodes.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            to={delivery.webhook?.name ?? delivery.webhook?.url ?? 'A webhook that was deleted'}
          />
        ))}
      </ul>
      {found?.pageInfo.hasNextPage && (
        <p className="quiet small">Only the last {most} are shown.</p>
      )}
    </Section>
  );
}
