// Finds the post of a container after an unknown outcome. The container says whether the post is public, but not its
// ID, which only the lists of the account have.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
import type { ProviderState, ReconcileOutcome, TargetMedia } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { isOld, readContainers, stillBusy, type ContainerCalls } from './containers.ts';
import { GraphId } from './ids.ts';

export const ListedPost = z.object({
  id: GraphId,
  permalink: z.string().optional(),
  media_type: z.string().optional(),
  children: z.object({ data: z.array(z.unknown()) }).optional(),
});
type ListedPost = z.infer<typeof ListedPost>;

interface FoundPost extends Pick<ListedPost, 'id' | 'permalink'> {
  text: string;
}

/** Lists the account's posts since the target was due that can be the target. `isComplete`: no post is missing. */
type ListLike = () => Promise<{ posts: readonly FoundPost[]; isComplete: boolean }>;

/** The network may list a new post only after a while. */
const listWaitsMs = [2_000, 4_000];

export async function findContainerPost(
  calls: ContainerCalls,
  state: ProviderState,
  listLike: ListLike,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  switch (await readPublishState(calls, state)) {
    case 'open':
      return { outcome: 'absent' };
    case 'public':
      return findPublic(listLike, signal);
    case 'gone':
    case 'none':
      return findLike(listLike);
  }
}

/**
 * The state of a publish whose answer was lost. `gone`: the container can no longer be published. `none`:
 * there is no container, or its ID is lost. Throws if the network doesn't know the container, or is still
 * busy with it.
 */
async function readPublishState(
  { network, readStatus }: ContainerCalls,
  state: ProviderState,
): Promise<'public' | 'open' | 'gone' | 'none'> {
  const containers = readContainers(state);
  const { post } = containers;
  if (!post) return 'none';
  const found = await readStatus(post.id);
  switch (found?.status) {
    case 'PUBLISHED':
      return 'public';
    case 'FINISHED':
      return 'open';
    case 'IN_PROGRESS':
      // The container was finished before the publish.
      if (post.isFinished) throw stillBusy({ network });
      return 'open';
    case 'ERROR':
    case 'EXPIRED':
      return 'gone';
    case undefined:
      if (isOld(containers)) return 'gone';
      throw new PlatformError('unavailable', `${network} does not know the container.`);
  }
}

/**
 * Finds a post like the target, without proof. An equal post without text proves nothing, and neither do two
 * equal posts.
 */
async function findLike(listLike: ListLike): Promise<ReconcileOutcome> {
  const { posts, isComplete } = await listLike();
  const [found, ...others] = posts;
  if (!found) return { outcome: isComplete ? 'absent' : 'unknown' };
  if (others.length > 0 || found.text.trim() === '') return { outcome: 'unknown' };
  return publishedAs(found.id, found.permalink ?? null, null);
}

/** The post is public. Its ID is unknown if no post, or more than one, can be the target. */
async function findPublic(listLike: ListLike, signal: AbortSignal): Promise<ReconcileOutcome> {
  for (const waitMs of [0, ...listWaitsMs]) {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    const listed = await listLike().catch(withoutAccess);
    if (!listed) break;
    const [found, ...others] = listed.posts;
    if (found && others.length === 0) return publishedAs(found.id, found.permalink ?? null, null);
    if (found) break;
  }
  return publishedAs(null, null, null);
}

/** Ignores the refusal, because the login may publish such a post without being allowed to list it. */
function withoutAccess(error: unknown): undefined {
  const failsAs = error instanceof PlatformError ? error.options.failsAs : undefined;
  if (failsAs !== 'permission_missing' && failsAs !== 'app_not_approved') throw error;
}

/** Whether the post can have these media. `withoutMedia`: the type of posts without media. */
export function hasMedia(
  { media_type: type, children }: ListedPost,
  media: readonly TargetMedia[],
  withoutMedia?: string,
): boolean {
  const [first, ...others] = media;
  if (others.length === 0) return type === (first?.kind.toUpperCase() ?? withoutMedia);
  return type === 'CAROUSEL_ALBUM' && (children?.data.length ?? media.length) === media.length;
}
