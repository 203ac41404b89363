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
  /** Whether a read failed because the network does not know the post, or not yet. */
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

/** A finished container is read again after this. */
const checkedForMs = 300_000;
/** A publish may show late in the status. */
const showsLateMs = 3_000;

/** `stale`: the network no longer has it. A refusal counts only if the container says that it is not public. */
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

/** The network refused the publish, rather than the login, and it published nothing for this call. */
const isRefusal = (error: unknown): error is PlatformError =>
  error instanceof PlatformError &&
  refusals.includes(error.kind) &&
  error.options.providerError !== undefined;

/** For the engine, which then looks for the post. */
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
    // An earlier call may have published the container, which the network then refuses to publish again.
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
      // A network that still doesn't find it won't learn of it.
      await sleep(showsLateMs);
      const later = await calls.readStatus(id);
      if (later?.status === 'PUBLISHED') throw alreadyPublic(calls, refusal.options);
      return 'stale';
    }
  }
}

/** The refusal, unless the quota explains it: networks don't document how they refuse a publish beyond it. */
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

/** A new post is not known everywhere at once. */
const permalinkWaitsMs = [0, 1_000, 2_000];
const permalinkForMs = 6_000;

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
    // Ignored, because the engine must learn that the post is public.
  }
  return null;
}
