// The bulk requests of the load: they create the posts of a burst, and create them again after a restore.
import { fixedLimits } from '../../schema/wire/limits.ts';
import type { CreatedPost } from '../../schema/posts/bulk.ts';
import { describeAnswer, hasIssue, type ChaosClient, type ChaosRequest } from './client.ts';
import type { PlannedPost } from './planned-posts.ts';

interface BulkRequest {
  request: ChaosRequest;
  answeredAt: Date;
  /** In the order of the request. Undefined: it was refused. */
  posts: (CreatedOne | undefined)[];
}

/** Its ID changes if it is created again. */
interface CreatedOne {
  id: string;
}

export interface BulkRequests {
  /** Creates posts of one project at once. Calls `accept` for each post that was accepted. */
  create<T extends CreatedOne>(
    plans: readonly PlannedPost[],
    toBody: (plan: PlannedPost) => object,
    accept: (plan: PlannedPost, id: string) => T,
  ): Promise<T[]>;
  /** Sends again, with its key, what was answered after the copy was begun. */
  resend(since: Date): Promise<void>;
}

/** `differences`: takes the answers that a request must not have. */
export function createBulkRequests(client: ChaosClient, differences: string[]): BulkRequests {
  const answered: BulkRequest[] = [];

  async function create<T extends CreatedOne>(
    plans: readonly PlannedPost[],
    toBody: (plan: PlannedPost) => object,
    accept: (plan: PlannedPost, id: string) => T,
  ): Promise<T[]> {
    const request = {
      method: 'POST',
      path: '/v1/posts/bulk',
      project: plans[0]!.project,
      idempotencyKey: `${plans[0]!.name} and the next`,
      body: { posts: plans.map(toBody) },
    };
    const answer = await client.send(request);
    if (answer.status >= 300) {
      differences.push(describeAnswer(request, answer));
      return [];
    }
    const posts = (answer.body.data as CreatedPost[]).map((item, i) => {
      if (item.post) return accept(plans[i]!, item.post.id);
      // A fault held up the request until the post's time had passed.
      if (!hasIssue(item, 'too_soon'))
        differences.push(`${plans[i]!.name}: ${JSON.stringify(item)}`);
      return undefined;
    });
    answered.push({ request, answeredAt: new Date(), posts });
    return posts.filter((post) => post !== undefined);
  }

  async function resend(since: Date): Promise<void> {
    for (const { request, answeredAt, posts } of answered) {
      if (answeredAt < since) continue;
      const answer = await client.send(request, { passesHold: true });
      const items = (answer.body.data ?? []) as CreatedPost[];
      for (const [i, { post }] of items.entries()) {
        if (post && posts[i]) posts[i].id = post.id;
      }
    }
  }

  return { create, resend };
}

/** The most posts of each project that one request takes. */
export function splitForBulk(posts: readonly PlannedPost[]): PlannedPost[][] {
  const size = fixedLimits.bulkPosts;
  return [...Map.groupBy(posts, ({ project }) => project).values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / size) }, (_, i) =>
      own.slice(i * size, (i + 1) * size),
    ),
  );
}
