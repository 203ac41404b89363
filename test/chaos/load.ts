// The load: posts at a steady rate and in bursts, each followed by what its client does next, until all have ended.
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Post } from '../../schema/posts/posts.ts';
import { connectAccount } from './accounts.ts';
import { createBulkRequests, splitForBulk } from './bulk-requests.ts';
import {
  describeAnswer,
  hasIssue,
  type Answer,
  type ChaosClient,
  type ChaosRequest,
} from './client.ts';
import { handles, planPost, type PlannedPost } from './planned-posts.ts';

export interface LoadedPost {
  plan: PlannedPost;
  id: string;
  /** When its client was first told that it was accepted. */
  acceptedAt: Date;
  scheduledAt: Date | undefined;
  /** The client changed when it is due. */
  isMoved: boolean;
  wasCanceled: boolean;
  retries: number;
  /** Every request of its own that was accepted, in order, to be sent again after a restore. */
  requests: (ChaosRequest & { at: Date })[];
}

export interface LoadOptions {
  client: ChaosClient;
  /** Of each project, in the order of `handles`. */
  accountIds: readonly (readonly string[])[];
  seed: number;
  perSecond: number;
  /** No more than so many posts, without those of bursts. */
  most: number;
  /** How far ahead a post is scheduled at most. */
  mostAheadMs: number;
}

export interface Load {
  readonly posts: readonly LoadedPost[];
  /** Requests that had no answer, or one that they must not have. */
  readonly differences: readonly string[];
  /** The names of posts whose clients want more of them. */
  readonly waiting: ReadonlySet<string>;
  /** Ends the stream of new posts; resolves once no client waits, or after that time. */
  stop(timeoutMs: number): Promise<void>;
  /** Creates the posts by bulk requests, all at the same time; resolves once they are answered. */
  burst(posts: readonly PlannedPost[], scheduledAt: Date | undefined): Promise<void>;
  /** Sends again, with its key, what was accepted after the copy was begun. */
  resend(since: Date): Promise<void>;
}

const final = ['published', 'partial', 'failed', 'canceled'];
const maxRetries = 2;
/** Requests that are sent again side by side. */
const atOnce = 4;

export function startLoad(options: LoadOptions): Load {
  const { client, accountIds, seed, perSecond, most, mostAheadMs } = options;
  const posts: LoadedPost[] = [];
  const differences: string[] = [];
  const following: Promise<void>[] = [];
  const waiting = new Set<string>();
  const bulkRequests = createBulkRequests(client, differences);
  let isStopped = false;

  /** Undefined: refused, because of what the post had become by then. */
  async function change(
    post: LoadedPost,
    toRequest: (path: string) => ChaosRequest,
  ): Promise<Answer | undefined> {
    const { id } = post;
    const request = { ...toRequest(`/v1/posts/${id}`), project: post.plan.project };
    const answer = await client.send(request);
    // It was created again meanwhile, since a restored copy did not know it.
    if (answer.status === 404 && post.id !== id) return change(post, toRequest);
    if (answer.status < 300) post.requests.push({ ...request, at: new Date() });
    else if (![404, 409].includes(answer.status) && !hasIssue(answer.body, 'too_soon')) {
      differences.push(describeAnswer(request, answer));
    }
    return answer.status < 300 ? answer : undefined;
  }

  const toBody = ({ name, project, way, targets }: PlannedPost, scheduledAt: Date | undefined) => ({
    caption: name,
    ...(scheduledAt ? { scheduled_at: scheduledAt.toISOString() } : {}),
    ...(way === 'draft' ? { status: 'draft' } : {}),
    platform_posts: targets.map(({ account, options }) => ({
      account_id: accountIds[project]![account],
      platform_options: options,
    })),
  });

  function accept(plan: PlannedPost, id: string, scheduledAt: Date | undefined): LoadedPost {
    const post: LoadedPost = {
      plan,
      id,
      acceptedAt: new Date(),
      scheduledAt,
      isMoved: false,
      wasCanceled: false,
      retries: 0,
      requests: [],
    };
    posts.push(post);
    return post;
  }

  async function create(plan: PlannedPost): Promise<LoadedPost | undefined> {
    const isScheduled = plan.way !== 'now' && plan.way !== 'draft';
    const scheduledAt = isScheduled ? new Date(Date.now() + plan.aheadMs) : undefined;
    const request = {
      method: 'POST',
      path: '/v1/posts',
      idempotencyKey: plan.name,
      body: toBody(plan, scheduledAt),
    };
    const answer = await client.send(request);
    if (hasIssue(answer.body, 'too_soon')) return;
    if (hasIssue(answer.body, 'account_not_active')) return reconnect(plan);
    if (answer.status >= 300) {
      differences.push(describeAnswer(request, answer));
      return;
    }
    const post = accept(plan, (answer.body.data as Post).id, scheduledAt);
    post.requests.push({ ...request, at: post.acceptedAt });
    return post;
  }

  /** The newest tokens of a login are lost with a restore, and with a worker that had just got them. */
  async function reconnect({ project, targets }: PlannedPost): Promise<undefined> {
    for (const { account } of targets) await connectAccount(client, handles[account]!, project);
  }

  async function act(post: LoadedPost): Promise<void> {
    const { plan } = post;
    await sleep(plan.actAfterMs);
    switch (plan.way) {
      case 'now':
      case 'scheduled':
        return;
      case 'draft':
      case 'early':
        post.isMoved = true;
        await change(post, (path) => ({
          method: 'POST',
          path: `${path}/publish`,
          idempotencyKey: `${plan.name} publish`,
        }));
        return;
      case 'canceled':
        post.wasCanceled = true;
        await change(post, (path) => ({
          method: 'POST',
          path: `${path}/cancel`,
          idempotencyKey: `${plan.name} cancel`,
        }));
        return;
      case 'rescheduled':
        post.isMoved = true;
        await change(post, (path) => ({
          method: 'PATCH',
          path,
          body: { scheduled_at: new Date(Date.now() + plan.aheadMs).toISOString() },
          idempotencyKey: `${plan.name} reschedule`,
        }));
    }
  }

  /** A target that gave up on a network that was away is tried again, as its client would. */
  async function retry(post: LoadedPost): Promise<void> {
    if (!post.plan.targets.some(({ options }) => options.outcome === 'unavailable')) return;
    for (;;) {
      await sleep(500);
      const { id } = post;
      const answer = await client.send({
        method: 'GET',
        path: `/v1/posts/${id}`,
        project: post.plan.project,
      });
      const stored = answer.body.data as Post | undefined;
      if (!stored && post.id === id) return;
      if (!stored) continue;
      if (!final.includes(stored.status)) continue;
      const failed = stored.results.filter(({ is_retriable }) => is_retriable);
      if (failed.length === 0 || post.retries >= maxRetries * post.plan.targets.length) return;
      for (const { id } of failed) {
        const idempotencyKey = `${post.plan.name} retry ${post.retries++}`;
        await change(post, (path) => ({
          method: 'POST',
          path: `${path}/results/${id}/retry`,
          idempotencyKey,
        }));
      }
    }
  }

  async function follow(
    plan: PlannedPost,
    creating: Promise<LoadedPost | undefined>,
  ): Promise<void> {
    waiting.add(plan.name);
    try {
      const post = await creating;
      if (!post) return;
      await act(post);
      await retry(post);
    } catch (error) {
      differences.push((error as Error).message);
    } finally {
      waiting.delete(plan.name);
    }
  }

  async function run(): Promise<void> {
    for (let number = 0; !isStopped && number < most; number++) {
      const plan = planPost(seed, number, mostAheadMs);
      following.push(follow(plan, create(plan)));
      await sleep(1_000 / perSecond);
    }
  }
  const running = run();

  async function createAtOnce(
    plans: readonly PlannedPost[],
    scheduledAt: Date | undefined,
  ): Promise<void> {
    try {
      const created = await bulkRequests.create(
        plans,
        (plan) => toBody(plan, scheduledAt),
        (plan, id) => accept(plan, id, scheduledAt),
      );
      following.push(...created.map((post) => follow(post.plan, Promise.resolve(post))));
    } catch (error) {
      differences.push((error as Error).message);
    }
  }

  async function resendPost(post: LoadedPost, since: Date): Promise<void> {
    for (const { at, ...request } of post.requests) {
      if (at < since) continue;
      const path = request.path.replace(/post_\w+/, post.id);
      const answer = await client.send({ ...request, path }, { passesHold: true });
      // A request whose time has passed, or whose target is another now, stays refused.
      if (answer.status < 300 && path === '/v1/posts') post.id = (answer.body.data as Post).id;
    }
  }

  return {
    posts,
    differences,
    waiting,
    async stop(timeoutMs) {
      isStopped = true;
      await running;
      await Promise.race([Promise.all(following), sleep(timeoutMs, undefined, { ref: false })]);
    },
    async burst(burstPosts, scheduledAt) {
      const requests = splitForBulk(burstPosts);
      await Promise.all(requests.map((plans) => createAtOnce(plans, scheduledAt)));
    },
    async resend(since) {
      const limit = pLimit(atOnce);
      await bulkRequests.resend(since);
      await Promise.all(posts.map((post) => limit(() => resendPost(post, since))));
    },
  };
}
