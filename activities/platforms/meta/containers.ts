// Posts that a network makes from containers: each is created, polled until it is finished, and published once.
// A container publishes nothing by itself, so whatever leads to a finished one may be repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PlatformError, type PlatformErrorKind } from '../platform-error.ts';
import type { PrepareOutcome, ProviderState } from '../platform.ts';
import { withoutTokens } from '../public-urls.ts';
import { preparedAs } from '../results.ts';
import type { ContainerFailure } from './errors.ts';

/** https://developers.facebook.com/docs/threads/troubleshooting */
export const containerStatuses = [
  'IN_PROGRESS',
  'FINISHED',
  'PUBLISHED',
  'ERROR',
  'EXPIRED',
] as const;

export interface ContainerStatus {
  status: (typeof containerStatuses)[number];
  /** Of an error, in the network's own words. */
  reason: string | undefined;
}

/** The calls of a network, for one target. */
export interface ContainerCalls {
  /** Title of the network. */
  network: string;
  /** Number of items of a carousel. 0: the post is no carousel. */
  itemCount: number;
  failures: readonly ContainerFailure[];
  /** Before the first container, and after a refused publish. Throws `isOutOfQuota` if the account may publish no more. */
  checkQuota(): Promise<void>;
  /** Returns the ID of the container of an item. */
  createItem(index: number): Promise<string>;
  /** Returns the ID of the container that is published. `items`: its parts, in their order. */
  createPost(items: string[]): Promise<string>;
  /** Why `createPost` failed: another carousel needs new items. */
  areItemsGone(error: unknown): boolean;
  /** Undefined: the network doesn't know the container, or not yet. */
  readStatus(id: string): Promise<ContainerStatus | undefined>;
  /** Makes the container public. Returns the ID of the post. */
  publish(id: string): Promise<string>;
}

const Container = z.object({
  id: z.string(),
  /** In milliseconds. */
  madeAt: z.number(),
  isFinished: z.boolean().default(false),
});
type Container = z.infer<typeof Container>;

const Containers = z.object({
  /** Of a carousel, in the order of its media. Null: to be made. */
  items: z.array(Container.nullable()).default([]),
  /** The one that is published. */
  post: Container.optional(),
  /** Before the last poll. */
  waitMs: z.number().default(0),
  /** How often a container was replaced. */
  replaced: z.int().default(0),
  /** When it was last read, in milliseconds. */
  finishedAt: z.number().default(0),
  /** The network said so while it was polled, so an earlier call published it. */
  isPublic: z.boolean().default(false),
});
type Containers = z.infer<typeof Containers>;

/** Networks drop a container after 24 hours. */
const lastsMs = 23.5 * 3_600_000;
/** A new container is not known everywhere at once. */
const settlesMs = 120_000;
/** A publish may show late in the status. */
const showsLateMs = 3_000;
const firstPollMs = 1_000;
/** Networks ask for one poll a minute. Most containers are finished after a few seconds. */
const maxPollMs = 60_000;
/** Before each of the containers that replace a failed one: a deployment of this server may last as long. */
const replacementWaitsMs = [2_000, 30_000, 300_000];
const maxReplaced = replacementWaitsMs.length;
/** A finished container is read again after this. */
const checkedForMs = 300_000;

const readContainers = (state: ProviderState): Containers => Containers.parse(state);

/** Does one step: creates one container, or polls one. */
export async function prepareContainers(
  calls: ContainerCalls,
  state: ProviderState,
): Promise<PrepareOutcome> {
  const stored = readContainers(state);
  const made = isOld(stored) ? Containers.parse({ replaced: stored.replaced }) : stored;
  const { items, post } = made;
  const missing = listIndexes(calls.itemCount).find((i) => !items[i]);
  if (post) return poll(calls, made, post, (next) => ({ ...made, post: next }));
  if (missing !== undefined) {
    if (items.length === 0) await calls.checkQuota();
    const id = await calls.createItem(missing);
    return toStep({ ...made, items: withItem(items, missing, newContainer(id)) });
  }
  const open = items.findIndex((item) => !item!.isFinished);
  if (open !== -1) {
    const replace = (next: Container | undefined) => ({
      ...made,
      items: withItem(items, open, next ?? null),
    });
    return poll(calls, made, items[open]!, replace);
  }
  if (items.length === 0) await calls.checkQuota();
  try {
    const id = await calls.createPost(items.map((item) => item!.id));
    return toStep({ ...made, post: newContainer(id) });
  } catch (error) {
    if (!calls.areItemsGone(error)) throw error;
    return toReplacement(calls, made, () => ({ ...made, items: [] }), undefined);
  }
}

const newContainer = (id: string): Container => ({ id, madeAt: Date.now(), isFinished: false });

const listIndexes = (count: number) => Array.from({ length: count }, (_, i) => i);

function withItem(items: Containers['items'], index: number, item: Container | null) {
  const padded = listIndexes(Math.max(items.length, index + 1)).map((i) => items[i] ?? null);
  return padded.with(index, item);
}

/** The next poll comes at once: after it, they are further and further apart. */
const toStep = (made: Containers): PrepareOutcome => ({
  outcome: 'more',
  state: { ...made, waitMs: 0 },
  waitMs: 0,
});

/** `replace`: the containers with another one in the place of this one, or with none. */
async function poll(
  calls: ContainerCalls,
  made: Containers,
  container: Container,
  replace: (next: Container | undefined) => Containers,
): Promise<PrepareOutcome> {
  const found = await calls.readStatus(container.id);
  const isNew = Date.now() - container.madeAt < settlesMs;
  const status = found?.status ?? (isNew ? 'IN_PROGRESS' : 'EXPIRED');
  switch (status) {
    case 'IN_PROGRESS': {
      const waitMs = Math.min(made.waitMs * 2 || firstPollMs, maxPollMs);
      return { outcome: 'more', state: { ...made, waitMs }, waitMs };
    }
    case 'FINISHED':
    case 'PUBLISHED': {
      const next = replace({ ...container, isFinished: true });
      if (!next.post) return toStep(next);
      const isPublic = status === 'PUBLISHED';
      return preparedAs({ ...next, isPublic, finishedAt: Date.now() });
    }
    case 'EXPIRED':
      return toReplacement(calls, made, replace, undefined);
    case 'ERROR':
      return toReplacement(calls, made, replace, found?.reason ?? 'UNKNOWN');
  }
}

/** `reason`: of a failed container. Throws if another one would fail too. */
function toReplacement(
  { network, failures }: ContainerCalls,
  made: Containers,
  replace: (next: undefined) => Containers,
  reason: string | undefined,
): PrepareOutcome {
  const failure = reason === undefined ? undefined : findFailure(failures, reason);
  const mayRepeat = made.replaced < maxReplaced && (reason === undefined || failure?.canRepeat);
  if (mayRepeat) {
    const { post: _, ...rest } = replace(undefined);
    const { replaced } = made;
    const state = { ...rest, waitMs: 0, replaced: replaced + 1 };
    const isDropped = reason === undefined;
    const waitMs = isDropped ? firstPollMs * 2 ** replaced : replacementWaitsMs[replaced]!;
    return { outcome: 'more', state, waitMs };
  }
  if (reason === undefined) {
    throw new PlatformError('unavailable', `${network} dropped what was prepared.`);
  }
  const sentence = failure?.sentence ?? `${network} could not process the media.`;
  const words = withoutTokens(reason);
  const failsAs = failure?.failsAs;
  throw new PlatformError('rejected', `${sentence} (${words})`, { platformCode: words, failsAs });
}

function findFailure(
  failures: readonly ContainerFailure[],
  reason: string,
): ContainerFailure | undefined {
  return failures.find(({ words }) => reason.includes(words));
}

function isOld({ items, post }: Containers): boolean {
  const times = [...items, post].flatMap((container) => container?.madeAt ?? []);
  return Date.now() - Math.min(...times, Infinity) > lastsMs;
}

/**
 * Publishes the prepared container. `stale`: the network no longer has it. A refusal counts only if the container
 * says that it is not public.
 */
export async function publishContainer(
  calls: ContainerCalls,
  state: ProviderState,
): Promise<{ id: string } | 'stale'> {
  const made = readContainers(state);
  const { post, finishedAt } = made;
  if (!post) return 'stale';
  if (made.isPublic) throw alreadyPublic(calls);
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
    return afterRefusal(calls, { ...post, finishedAt }, error);
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

/** Documents call it the state of a container that is being published. */
const stillBusy = ({ network }: Pick<ContainerCalls, 'network'>) =>
  new PlatformError('unavailable', `${network} is still busy with the container.`);

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
    throw new PlatformError('unknown_outcome', refusal.message, refusal.options);
  });
  switch (found?.status) {
    case 'PUBLISHED':
      throw alreadyPublic(calls, refusal.options);
    case 'ERROR':
    case 'EXPIRED':
      return 'stale';
    case 'IN_PROGRESS':
      throw new PlatformError('unavailable', refusal.message, refusal.options);
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

/**
 * After a publish without an answer. `gone`: it can no longer be published. `none`: there is no container, or its
 * ID is lost. Throws if the network doesn't know the container, or is still busy with it.
 */
export async function readFate(
  { network, readStatus }: ContainerCalls,
  state: ProviderState,
): Promise<'public' | 'open' | 'gone' | 'none'> {
  const made = readContainers(state);
  if (!made.post) return 'none';
  const found = await readStatus(made.post.id);
  switch (found?.status) {
    case 'PUBLISHED':
      return 'public';
    case 'FINISHED':
      return 'open';
    case 'IN_PROGRESS':
      // It was finished before the publish.
      if (made.post.isFinished) throw stillBusy({ network });
      return 'open';
    case 'ERROR':
    case 'EXPIRED':
      return 'gone';
    case undefined:
      if (isOld(made)) return 'gone';
      throw new PlatformError('unavailable', `${network} does not know the container.`);
  }
}
