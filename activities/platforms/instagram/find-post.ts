// Finds a post after an unknown outcome. Its container says whether it is public, but not the ID of the post, which
// stands in the lists of the account.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readFate } from '../meta/containers.ts';
import { GraphId } from '../meta/ids.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { listSince, Timestamp } from './lists.ts';
import { createCalls, isMissing, readOptions, type Placement } from './post.ts';

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media */
const Listed = z.object({
  id: GraphId,
  timestamp: Timestamp,
  permalink: z.string().optional(),
  caption: z.string().default(''),
  media_type: z.string().optional(),
  media_product_type: z.string().optional(),
  children: z.object({ data: z.array(z.unknown()) }).optional(),
});
type Listed = z.infer<typeof Listed>;

/** A new post is not listed at once. */
const listWaitsMs = [2_000, 4_000];

export async function findPost(
  ask: Ask,
  target: Target,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  switch (await readFate(createCalls(ask, target), target.state)) {
    case 'open':
      return { outcome: 'absent' };
    case 'public':
      return nameOfPublic(ask, target, signal);
    case 'gone':
    case 'none':
      return search(ask, target);
  }
}

/** Without proof. An equal post without a caption proves nothing, and neither do two equal posts. */
async function search(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { posts, isComplete } = await listLike(ask, target);
  const [found, ...others] = posts;
  if (!found) return { outcome: isComplete ? 'absent' : 'unknown' };
  if (others.length > 0 || found.caption.trim() === '') return { outcome: 'unknown' };
  return publishedAs(found.id, found.permalink ?? null, null);
}

/** The post is public. Its ID is unknown if several posts, or none, can be it. */
async function nameOfPublic(
  ask: Ask,
  target: Target,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  for (const waitMs of [0, ...listWaitsMs]) {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    const listed = await listLike(ask, target).catch(withoutAccess);
    if (!listed) break;
    const [found, ...others] = listed.posts;
    if (found && others.length === 0) return publishedAs(found.id, found.permalink ?? null, null);
    if (found) break;
  }
  return publishedAs(null, null, null);
}

/** The login may publish, but not list. */
function withoutAccess(error: unknown): undefined {
  const failsAs = error instanceof PlatformError ? error.options.failsAs : undefined;
  if (failsAs !== 'permission_missing') throw error;
}

/** The account's posts, or its stories, since the target was due that can be the target. */
async function listLike(
  ask: Ask,
  target: Target,
): Promise<{ posts: Listed[]; isComplete: boolean }> {
  const { placement } = readOptions(target);
  const path = `/${target.externalAccountId}/${placement === 'story' ? 'stories' : 'media'}`;
  const fields = 'id,timestamp,permalink,caption,media_type,media_product_type,children';
  const { items, isComplete } = await listSince(ask, path, Listed, { fields }, target.dueAt);
  return { posts: items.filter((post) => isLike(post, target, placement)), isComplete };
}

const productTypes: Record<Placement, string> = { feed: 'FEED', reel: 'REELS', story: 'STORY' };

function isLike(post: Listed, { caption, media }: Target, placement: Placement): boolean {
  const { media_type: type, media_product_type: product = productTypes[placement] } = post;
  if (product !== productTypes[placement]) return false;
  if (placement !== 'story' && post.caption.trim() !== caption.trim()) return false;
  const [first, ...others] = media;
  if (others.length > 0) return type === 'CAROUSEL_ALBUM' && hasChildren(post, media.length);
  return type === first?.kind.toUpperCase();
}

const hasChildren = ({ children }: Listed, count: number) =>
  children === undefined || children.data.length === count;

/** A new post is not known everywhere at once. */
const permalinkWaitsMs = [0, 1_000, 2_000];
const permalinkForMs = 6_000;

/** Null: Instagram gives none, or doesn't answer. The post is public all the same. */
export async function readPermalink(
  open: (signal: AbortSignal) => Ask,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(permalinkForMs)]);
  const ask = open(limited);
  try {
    for (const waitMs of permalinkWaitsMs) {
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: limited });
      const query = { fields: 'permalink' };
      const post = await ask(`/${id}`, Listed.pick({ permalink: true }), { query }).catch(
        (error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        },
      );
      if (post) return post.body.permalink ?? null;
    }
  } catch {
    // The engine must learn that the post is public.
  }
  return null;
}
