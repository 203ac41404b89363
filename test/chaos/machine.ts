// How fast the machine is now, and what the run asks of it: a slow one gets fewer posts and more time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Post } from '../../schema/posts/posts.ts';
import type { ChaosClient } from './client.ts';

export interface Pace {
  /** What one post took, from its request until its client saw its end. */
  postMs: number;
  /** 1: as fast as a quiet machine with 2 cores, or faster. */
  slowness: number;
  /** Posts per second. */
  perSecond: number;
  /** How long to wait for what takes so long on a quiet machine. */
  deadline(ms: number): number;
}

/** On a quiet machine with 2 cores, it took 150 to 180, beside four live clients. */
const quietPostMs = 180;
const quietPerSecond = 3;
/** With less load or more time than this, a run would show nothing or never end. */
const mostSlowness = 10;

export function toPace(postMs: number): Pace {
  const slowness = Math.min(Math.max(postMs / quietPostMs, 1), mostSlowness);
  return {
    postMs,
    slowness,
    perSecond: quietPerSecond / slowness,
    deadline: (ms) => Math.ceil(ms * slowness),
  };
}

const warmUpPosts = 5;
const mostPosts = 60;
const mostMs = 8_000;
const pollMs = 20;

/**
 * Publishes posts one after the other, for about 8 s. The wall time of a post counts whatever else the
 * machine does. Slower posts at a lower rate leave as many in flight at once as on a quiet machine.
 */
export async function measurePace(client: ChaosClient, accountId: string): Promise<Pace> {
  const deadline = performance.now() + mostMs;
  let startedAt = performance.now();
  let posts = 0;
  for (let number = 1 - warmUpPosts; number <= mostPosts; number++) {
    if (number === 1) startedAt = performance.now();
    await publish(client, accountId, number);
    posts = number;
    if (performance.now() > deadline) break;
  }
  return toPace((performance.now() - startedAt) / Math.max(posts, 1));
}

async function publish(client: ChaosClient, accountId: string, number: number): Promise<void> {
  const answer = await client.send({
    method: 'POST',
    path: '/v1/posts',
    body: { caption: `pace ${number}`, platform_posts: [{ account_id: accountId }] },
  });
  if (answer.status >= 300) throw new Error(`No post: ${answer.text}`);
  const { id } = answer.body.data as Post;
  for (;;) {
    const { body } = await client.send({ method: 'GET', path: `/v1/posts/${id}` });
    if ((body.data as Post).status === 'published') return;
    await sleep(pollMs);
  }
}
