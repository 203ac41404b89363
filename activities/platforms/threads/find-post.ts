// Finds a post of Threads after an unknown outcome, among the account's posts or its replies.
import { z } from 'zod';
import { earliestOf, toComparable } from '../lost-posts.ts';
import { findContainerPost, hasMedia, ListedPost } from '../meta/find-post.ts';
import { readList } from '../meta/lists.ts';
import type { Ask } from '../network-api.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { createCalls } from './post.ts';

/** https://developers.facebook.com/docs/threads/retrieve-and-discover-posts/retrieve-posts */
const Listed = ListedPost.extend({
  text: z.string().default(''),
  replied_to: z.object({ id: z.string() }).optional(),
});

/** Threads lists no posts from before its launch, and refuses a request for them. */
const firstSecond = 1_688_540_400;

export function findPost(ask: Ask, target: Target, signal: AbortSignal): Promise<ReconcileOutcome> {
  const calls = createCalls(ask, target);
  return findContainerPost(calls, target.state, () => listLike(ask, target), signal);
}

async function listLike(ask: Ask, target: Target) {
  const isReply = target.replyTo !== null;
  const query = {
    fields: `id,media_type,text,permalink,children${isReply ? ',replied_to' : ''}`,
    since: Math.max(Math.floor(earliestOf(target) / 1_000), firstSecond),
  };
  const path = isReply ? '/me/replies' : '/me/threads';
  const { items, isComplete } = await readList(ask, path, Listed, { query, endsEmpty: true });
  return { posts: items.filter((post) => isLike(post, target)), isComplete };
}

const isLike = (post: z.infer<typeof Listed>, { caption, media, replyTo }: Target): boolean =>
  withoutHashes(post.text) === withoutHashes(caption) &&
  (replyTo === null || post.replied_to?.id === replyTo) &&
  hasMedia(post, media, 'TEXT_POST');

/** Threads shows the first tag of a text without its `#`. */
const withoutHashes = (text: string) => toComparable(text).replaceAll('#', '');
