// Finds a post after an unknown outcome. Its container says whether it is public, but not the ID of the post, which
// stands in the lists of the account.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readFate } from '../meta/containers.ts';
import type { Ask } from '../network-api.ts';
import { hasCode } from '../platform-error.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { createCalls, isMissing } from './post.ts';

/** https://developers.facebook.com/docs/threads/retrieve-and-discover-posts/retrieve-posts */
const Listed = z.object({
  id: z.string(),
  media_type: z.string().optional(),
  text: z.string().default(''),
  permalink: z.string().optional(),
  replied_to: z.object({ id: z.string() }).optional(),
  children: z.object({ data: z.array(z.unknown()) }).optional(),
});
type Listed = z.infer<typeof Listed>;
const Page = z.object({
  data: z.array(z.unknown()),
  paging: z
    .object({
      cursors: z.object({ after: z.string().optional() }).optional(),
      next: z.string().optional(),
    })
    .optional(),
});

const pageSize = 100;
/** An account publishes 250 posts and 1,000 replies in 24 hours. */
const maxPages = 5;
/** Threads' clock may be behind ours. */
const clockErrorMs = 60_000;
/** Threads lists no posts from before its start, and refuses to be asked for them. */
const firstSecond = 1_688_540_400;
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

/** Without proof. An equal post without text proves nothing, and neither do two equal posts. */
async function search(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { posts, isComplete } = await listLike(ask, target);
  const [found, ...others] = posts;
  if (!found) return { outcome: isComplete ? 'absent' : 'unknown' };
  if (others.length > 0 || target.caption.trim() === '') return { outcome: 'unknown' };
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

/** The login may publish replies, but not list them. */
function withoutAccess(error: unknown): undefined {
  if (!hasCode(error, '10') && !hasCode(error, '10/4279067')) throw error;
}

/** The account's posts, or its replies, since the target was due that can be the target. */
async function listLike(
  ask: Ask,
  target: Target,
): Promise<{ posts: Listed[]; isComplete: boolean }> {
  const isReply = target.replyTo !== null;
  const since = Math.floor((target.dueAt.getTime() - clockErrorMs) / 1_000);
  const query = {
    fields: `id,media_type,text,permalink,children${isReply ? ',replied_to' : ''}`,
    since: Math.max(since, firstSecond),
    limit: pageSize,
  };
  const posts: Listed[] = [];
  let isReadable = true;
  let after: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const path = isReply ? '/me/replies' : '/me/threads';
    const { data, paging } = (await ask(path, Page, { query: { ...query, after } })).body;
    const read = data.flatMap<Listed>((given) => Listed.safeParse(given).data ?? []);
    posts.push(...read.filter((post) => isLike(post, target)));
    // A post that can't be read may be the one that is looked for.
    isReadable &&= read.length === data.length;
    const { cursors, next } = paging ?? {};
    after = cursors?.after;
    // The last page has a cursor too, which leads to an empty one.
    const isLast = next === undefined && (after === undefined || data.length === 0);
    if (isLast) return { posts, isComplete: isReadable };
    // The address of the next page has the token, so it is not followed.
    if (after === undefined) break;
  }
  return { posts, isComplete: false };
}

function isLike(post: Listed, { caption, media, replyTo }: Target): boolean {
  if (plain(post.text) !== plain(caption)) return false;
  if (replyTo !== null && post.replied_to?.id !== replyTo) return false;
  const [first, ...others] = media;
  if (others.length > 0) {
    return post.media_type === 'CAROUSEL_ALBUM' && hasChildren(post, media.length);
  }
  return post.media_type === (first ? first.kind.toUpperCase() : 'TEXT_POST');
}

const hasChildren = ({ children }: Listed, count: number) =>
  children === undefined || children.data.length === count;

/** Threads shows the first tag of a text without its `#`. */
const plain = (text: string) => text.toWellFormed().replaceAll(/[\s\p{C}#]/gu, '');

/** A post may not be readable at once. */
const permalinkWaitsMs = [0, 1_000, 2_000];
const permalinkForMs = 6_000;

/** Null: Threads gives none, or doesn't answer. The post is public all the same. */
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
