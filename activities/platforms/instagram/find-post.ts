// Finds a post of Instagram after an unknown outcome, among the account's posts or its stories.
import { z } from 'zod';
import type { Placement } from '../../../schema/platforms/instagram.ts';
import { findContainerPost, hasMedia, ListedPost } from '../meta/find-post.ts';
import { Timestamp } from '../meta/lists.ts';
import type { Ask } from '../network-api.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { listSince } from './lists.ts';
import { createCalls, readOptions } from './post.ts';

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media */
const Listed = ListedPost.extend({
  timestamp: Timestamp,
  caption: z.string().default(''),
  media_product_type: z.string().optional(),
}).transform(({ caption: text, ...post }) => ({ ...post, text }));

export function findPost(ask: Ask, target: Target, signal: AbortSignal): Promise<ReconcileOutcome> {
  const calls = createCalls(ask, target);
  return findContainerPost(calls, target.state, () => listLike(ask, target), signal);
}

async function listLike(ask: Ask, target: Target) {
  const { placement } = readOptions(target);
  const path = `/${target.externalAccountId}/${placement === 'story' ? 'stories' : 'media'}`;
  const fields = 'id,timestamp,permalink,caption,media_type,media_product_type,children';
  const { items, isComplete } = await listSince(ask, path, Listed, fields, target);
  return { posts: items.filter((post) => isLike(post, target, placement)), isComplete };
}

const productTypes: Record<Placement, string> = { feed: 'FEED', reel: 'REELS', story: 'STORY' };

function isLike(
  post: z.output<typeof Listed>,
  { caption, media }: Target,
  placement: Placement,
): boolean {
  const wanted = productTypes[placement];
  const isSameText = placement === 'story' || post.text.trim() === caption.trim();
  return (post.media_product_type ?? wanted) === wanted && isSameText && hasMedia(post, media);
}
