// Publishes a prepared container once, and reads the address of its post.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask } from '../network-api.ts';
import { PlatformError, type PlatformErrorKind } from '../platform-error.ts';
import type { CommitOutcome, ProviderState } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { readContainers, settlesMs, stillBusy, type ContainerCalls } from './containers.ts';
import { ListedPost } from './find-post.ts';

interface PostReader {
  open(signal: AbortSignal): Ask;
  /** Whether a read failed because the network doesn't know the post at all, or doesn't know it yet. */
  isMissing(error: unknown): boolean;
}

export async function commitContainer(
  calls: ContainerCalls,
  state: ProviderState,
  reader: PostReader,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  const published = await publish(calls, state);
  if (published === 'stale') return { outcome: 'stale' };
  const { id } = published;
  return publishedAs(id, await readPermalink(reader, id, signal), null);
}

/** If a container was found finished longer ago than this, its status is read again. */
const checkedForMs = 300_000;
/** The status of a container may show a publish only after this time. */
const showsLateMs = 3_000;

/**
 * `stale`: the network no longer has the container. A refusal counts only if the container says that it is
 * not public.
 */
async function publish(
  calls: ContainerCalls,
  state: ProviderState,
): Promise<{ id: string } | 'stale'> {
  const { post, finishedAt, isPublic } = readContainers(state);
  if (!post) return 'stale';
  if (isPublic) throw alreadyPublic(calls);
  if (Date.now() - finishedAt > checkedForMs) {
    const found = await calls.readStatus(post.id);
    if (found?.status === 'PUBLISHED') throw alreadyPublic(calls);
    if (found?.status === 'IN_PROGRESS') throw stillBusy(calls);
    if (found?.status !== 'FINISHED') return 'stale';
  }
  try {
    return { id: await calls.publish(post.id) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error.kind === 'rate_limited') throw await orOutOfQuota(calls, error);
    return afterRefusal(calls, { id: post.id, finishedAt }, error);
  }
}

const refusals: readonly PlatformErrorKind[] = ['rejected', 'unavailable', 'rate_limited'];

/** The network refused the publish, but not the login, and this call published nothing. */
const isRefusal = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  refusals.includes(error.kind) &&
  error.options.providerError !== undefined;

/** The error for a container that is public already. The engine then looks for its post. */
const alreadyPublic = ({ network }: ContainerCalls, options: PlatformError['options'] = {}) =>
  new PlatformError('unknown_outcome', `${network} says that the container is public.`, options);

async function afterRefusal(
  calls: ContainerCalls,
  { id, finishedAt }: { id: string; finishedAt: number },
  refusal: PlatformError,
): Promise<'stale'> {
  const found = await calls.readStatus(id).catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    const isRead = error.kind === 'rejected' || error.kind === 'reauthorize';
    if (isRead || refusal.kind === 'unavailable') throw refusal;
    // An earlier call may have published the container. The network then refuses to publish it again.
    throw refusal.as('unknown_outcome');
  });
  switch (found?.status) {
    case 'PUBLISHED':
      throw alreadyPublic(calls, refusal.options);
    case 'ERROR':
    case 'EXPIRED':
      return 'stale';
    case 'IN_PROGRESS':
      throw refusal.as('unavailable');
    case 'FINISHED':
    case undefined: {
      if (refusal.kind !== 'unavailable') throw await orOutOfQuota(calls, refusal);
      if (Date.now() - finishedAt <= settlesMs) throw refusal;
      // A network that doesn't know the container by now never will.
      await sleep(showsLateMs);
      const later = await calls.readStatus(id);
      if (later?.status === 'PUBLISHED') throw alreadyPublic(calls, refusal.options);
      return 'stale';
    }
  }
}

/**
 * Returns the refusal, or the error of the quota if the quota is used up. Networks don't document how they
 * refuse a publish that exceeds the quota.
 */
async function orOutOfQuota(
  { checkQuota }: ContainerCalls,
  refusal: PlatformError,
): Promise<PlatformError> {
  try {
    await checkQuota();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.options.isOutOfQuota) return error;
  }
  return refusal;
}

const Post = ListedPost.pick({ permalink: true });

/** The network may not find a new post at once. */
const permalinkWaitsMs = [0, 1_000, 2_000];
const permalinkForMs = 6_000;

/** Null: the network gives no address, or doesn't answer. The post is public all the same. */
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
    // Ignored, because the engine must learn that the post is public.
  }
  return null;
}
