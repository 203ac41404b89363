// Posts that a network makes from containers. Each container is created, polled until it is finished, and published
// once. This file prepares the containers. All of its calls may be repeated, because they publish nothing.
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
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

interface ContainerStatus {
  status: (typeof containerStatuses)[number];
  /** The reason of an error, in the network's own words. */
  reason: string | undefined;
}

/** The calls of a network, for one target. */
export interface ContainerCalls {
  /** Title of the network. */
  network: string;
  /** Number of items of a carousel. 0: the post is no carousel. */
  itemCount: number;
  failures: readonly ContainerFailure[];
  /**
   * Called before the first container, and after a refused publish. Throws `isOutOfQuota` if the account may
   * publish no more.
   */
  checkQuota(): Promise<void>;
  /** Returns the ID of the container of an item. */
  createItem(index: number): Promise<string>;
  /** Returns the ID of the container that is published. `items`: IDs of its parts, in their order. */
  createPost(items: string[]): Promise<string>;
  /** Whether `createPost` failed because another carousel needs new items. */
  areItemsGone(error: unknown): boolean;
  /** Undefined: the network doesn't know the container at all, or doesn't know it yet. */
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
  /** Containers of a carousel's items, in the order of its media. A null is still to be made. */
  items: z.array(Container.nullable()).default([]),
  /** The container that is published. */
  post: Container.optional(),
  /** The wait before the last poll. */
  waitMs: z.number().default(0),
  /** How often a container was replaced. */
  replaced: z.int().default(0),
  /** When the container of the post was last read, in milliseconds. */
  finishedAt: z.number().default(0),
  /** The network reported during a poll that the container is public, so an earlier call published it. */
  isPublic: z.boolean().default(false),
});
type Containers = z.infer<typeof Containers>;

/** Networks fetch an image when its container is made, and a video soon after. They drop a container after 24 hours. */
export const publicForMs = 24 * 3_600_000;
const lastsMs = 23.5 * 3_600_000;
/** The network may not find a new container at once. */
export const settlesMs = 120_000;
const firstPollMs = 1_000;
/** Networks ask for one poll a minute. Most containers are finished after a few seconds. */
const maxPollMs = 60_000;
/**
 * The waits before the containers that replace a failed one. A deployment of this server may take as long as
 * these waits.
 */
const replacementWaitsMs = [2_000, 30_000, 300_000];
const maxReplaced = replacementWaitsMs.length;

export const readContainers = (state: ProviderState): Containers => Containers.parse(state);

/** Does one step: creates one container, or polls one. */
export async function prepareContainers(
  calls: ContainerCalls,
  state: ProviderState,
): Promise<PrepareOutcome> {
  const stored = readContainers(state);
  const containers = isOld(stored) ? Containers.parse({ replaced: stored.replaced }) : stored;
  const { items, post } = containers;
  const missing = listIndexes(calls.itemCount).find((i) => !items[i]);
  if (post) return poll(calls, containers, post, (next) => ({ ...containers, post: next }));
  if (missing !== undefined) {
    if (items.length === 0) await calls.checkQuota();
    const id = await calls.createItem(missing);
    return toStep({ ...containers, items: withItem(items, missing, newContainer(id)) });
  }
  const open = items.findIndex((item) => !item!.isFinished);
  if (open !== -1) {
    const replace = (next: Container | undefined) => ({
      ...containers,
      items: withItem(items, open, next ?? null),
    });
    return poll(calls, containers, items[open]!, replace);
  }
  if (items.length === 0) await calls.checkQuota();
  let made: Container;
  try {
    made = newContainer(await calls.createPost(items.map((item) => item!.id)));
  } catch (error) {
    if (!calls.areItemsGone(error)) throw error;
    return toReplacement(calls, containers, () => ({ ...containers, items: [] }), undefined);
  }
  return pollNew(calls, { ...containers, post: made, waitMs: 0 }, made);
}

/** Polls a container that was just made, which saves a step. If the poll fails, the next step repeats it. */
async function pollNew(
  calls: ContainerCalls,
  containers: Containers,
  made: Container,
): Promise<PrepareOutcome> {
  try {
    return await poll(calls, containers, made, (post) => ({ ...containers, post }));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return toStep(containers);
  }
}

const newContainer = (id: string): Container => ({ id, madeAt: Date.now(), isFinished: false });

const listIndexes = (count: number) => Array.from({ length: count }, (_, i) => i);

function withItem(items: Containers['items'], index: number, item: Container | null) {
  const padded = listIndexes(Math.max(items.length, index + 1)).map((i) => items[i] ?? null);
  return padded.with(index, item);
}

/** The first poll comes at once. The waits between the later polls get longer and longer. */
const toStep = (containers: Containers): PrepareOutcome => ({
  outcome: 'more',
  state: { ...containers, waitMs: 0 },
  waitMs: 0,
});

/** `replace`: returns the containers without this container. With `next`, `next` takes its place. */
async function poll(
  calls: ContainerCalls,
  containers: Containers,
  container: Container,
  replace: (next: Container | undefined) => Containers,
): Promise<PrepareOutcome> {
  const found = await calls.readStatus(container.id);
  const isNew = Date.now() - container.madeAt < settlesMs;
  const status = found?.status ?? (isNew ? 'IN_PROGRESS' : 'EXPIRED');
  switch (status) {
    case 'IN_PROGRESS': {
      const waitMs = Math.min(containers.waitMs * 2 || firstPollMs, maxPollMs);
      return { outcome: 'more', state: { ...containers, waitMs }, waitMs };
    }
    case 'FINISHED':
    case 'PUBLISHED': {
      const next = replace({ ...container, isFinished: true });
      if (!next.post) return toStep(next);
      const isPublic = status === 'PUBLISHED';
      return preparedAs({ ...next, isPublic, finishedAt: Date.now() });
    }
    case 'EXPIRED':
      return toReplacement(calls, containers, replace, undefined);
    case 'ERROR':
      return toReplacement(calls, containers, replace, found?.reason ?? 'UNKNOWN');
  }
}

/**
 * `reason`: why the container failed. Undefined: the network dropped it. Throws if another container would
 * fail too.
 */
function toReplacement(
  { network, failures }: ContainerCalls,
  containers: Containers,
  replace: (next: undefined) => Containers,
  reason: string | undefined,
): PrepareOutcome {
  const { replaced } = containers;
  const failure = failures.find(({ words }) => reason?.includes(words));
  const mayRepeat = replaced < maxReplaced && (reason === undefined || failure?.canRepeat);
  if (mayRepeat) {
    const { post: _, ...rest } = replace(undefined);
    const state = { ...rest, waitMs: 0, replaced: replaced + 1 };
    const isDropped = reason === undefined;
    const waitMs = isDropped ? firstPollMs * 2 ** replaced : replacementWaitsMs[replaced]!;
    return { outcome: 'more', state, waitMs };
  }
  if (reason === undefined) {
    throw new PlatformError('unavailable', `${network} dropped the prepared media.`);
  }
  const sentence = failure?.sentence ?? `${network} could not process the media.`;
  const words = withoutTokens(reason);
  const failsAs = failure?.failsAs;
  throw new PlatformError('rejected', `${sentence} (${words})`, { platformCode: words, failsAs });
}

export function isOld({ items, post }: Containers): boolean {
  const times = [...items, post].flatMap((container) => container?.madeAt ?? []);
  return Date.now() - Math.min(...times, Infinity) > lastsMs;
}

/**
 * The error for the status `IN_PROGRESS`. The documents give this status to a container that is being
 * published.
 */
export const stillBusy = ({ network }: Pick<ContainerCalls, 'network'>): PlatformError =>
  new PlatformError('unavailable', `${network} is still busy with the container.`);
