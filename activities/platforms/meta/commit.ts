// Publishes a prepared container, and reads the address of its post.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask } from '../network-api.ts';
import type { CommitOutcome, ProviderState } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { publishContainer, type ContainerCalls } from './containers.ts';
import { ListedPost } from './find-post.ts';

interface PostReader {
  open(signal: AbortSignal): Ask;
  /** Why a read failed: the network doesn't know the post, or not yet. */
  isMissing(error: unknown): boolean;
}

const Post = ListedPost.pick({ permalink: true });

/** A new post is not known everywhere at once. */
const permalinkWaitsMs = [0, 1_000, 2_000];
const permalinkForMs = 6_000;

export async function commitContainer(
  calls: ContainerCalls,
  state: ProviderState,
  reader: PostReader,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  const published = await publishContainer(calls, state);
  if (published === 'stale') return { outcome: 'stale' };
  const { id } = published;
  return publishedAs(id, await readPermalink(reader, id, signal), null);
}

/** Null: the network gives none, or doesn't answer. The post is public all the same. */
async function readPermalink(
  { open, isMissing }: PostReader,
  id: string,
  signal: AbortSignal,
): Promise<string | null> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(permalinkForMs)]);
  const ask = open(limited);
  const query = { fields: 'permalink' };
  try {
    for (const waitMs of permalinkWaitsMs) {
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: limited });
      const post = await ask(`/${id}`, Post, { query }).catch((error: unknown): undefined => {
        if (!isMissing(error)) throw error;
      });
      if (post) return post.body.permalink ?? null;
    }
  } catch {
    // The engine must learn that the post is public.
  }
  return null;
}
