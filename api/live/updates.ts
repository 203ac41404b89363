// From the feed to what a subscription sends: present state first, then each change with its subject.
import type { ChangeFilter } from '../../schema/database/changes.ts';
import type { ChangeRow } from '../../schema/database/database.ts';
import { AppError } from '../../schema/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import { requireCaller, type GraphqlContext } from '../graphql-context.ts';
import type { Caller, Context } from '../context.ts';
import type { FeedItem } from './recent.ts';
import type { FeedStream } from './subscriber.ts';

/** One message. The last one of a stream that broke is the reason. */
export type Update<T> = ShownUpdate<T> | { failure: unknown };

export interface ShownUpdate<T> {
  cursor: string;
  change: string;
  /** Of the subject; stays known when that is gone. */
  id: string;
  subject: T | null;
}

export interface UpdatesOptions<T> {
  scope: Scope;
  filter: Omit<ChangeFilter, 'projectId'>;
  after: string | null | undefined;
  /** The present state, when one subject is watched from now on; throws where it is another's. */
  getPresent?: ((context: Context, caller: Caller) => Promise<T>) | undefined;
  readSubject(change: ChangeRow): Promise<T | null>;
  /** Whether the subscription is about it. */
  isWanted?: ((subject: T) => boolean) | undefined;
}

/** What the field shows of an update; a broken stream shows as an error of its last message. */
export function showUpdate<T>(update: Update<T>): ShownUpdate<T> {
  if ('failure' in update) throw update.failure;
  return update;
}

/** The `change` of a message that tells the state and no change. */
const presentState = 'present';

export async function openUpdates<T extends { id: string }>(
  graphql: GraphqlContext,
  options: UpdatesOptions<T>,
): Promise<AsyncIterable<Update<T>>> {
  const { feed } = graphql.app;
  const caller = requireCaller(graphql, options.scope);
  const filter = { ...options.filter, projectId: caller.projectId };
  const isFromNow = options.after === null || options.after === undefined;
  if (!options.getPresent || !isFromNow) {
    await options.getPresent?.(graphql.app, caller);
    const stream = await feed.subscribe({ ...filter, after: options.after ?? undefined });
    return new Updates(graphql, caller, stream, options);
  }
  // What is committed before this place is in the state that is read after it.
  const cursor = await feed.head();
  const subject = await options.getPresent(graphql.app, caller);
  const stream = await feed.subscribe({ ...filter, after: cursor });
  const first = { cursor, change: presentState, id: subject.id, subject };
  return new Updates(graphql, caller, stream, options, first);
}

/** How many changes are read ahead of the client, so that one query reads their subjects. */
const readAhead = 16;

type Step<T> = Update<T> | 'unwanted' | 'end';

class Updates<T> implements AsyncIterableIterator<Update<T>, undefined, undefined> {
  readonly #stream: FeedStream;
  readonly #options: UpdatesOptions<T>;
  readonly #stopWatching: () => void;
  #steps: Promise<Step<T>>[] = [];
  #isEnded = false;

  constructor(
    { keyWatch }: GraphqlContext,
    { keyId }: Caller,
    stream: FeedStream,
    options: UpdatesOptions<T>,
    first?: Update<T>,
  ) {
    this.#stream = stream;
    this.#options = options;
    if (first) this.#steps.push(Promise.resolve(first));
    this.#stopWatching = keyWatch.watch(keyId, () =>
      stream.fail(new AppError('unauthorized', 'The API key has been revoked or has expired.')),
    );
  }

  async next(): Promise<IteratorResult<Update<T>, undefined>> {
    while (!this.#isEnded) {
      while (this.#steps.length < readAhead) this.#steps.push(this.#step());
      const step = await this.#steps.shift()!;
      if (step === 'unwanted') continue;
      if (step === 'end') break;
      if ('failure' in step) this.#end();
      return { done: false, value: step };
    }
    this.#end();
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<Update<T>, undefined>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Never rejects: nobody may be waiting for it yet. */
  async #step(): Promise<Step<T>> {
    try {
      const item = await this.#stream.next();
      if (item.done) return 'end';
      const { change } = item.value;
      const subject = await this.#options.readSubject(change);
      const { isWanted } = this.#options;
      if (isWanted && (subject === null || !isWanted(subject))) return 'unwanted';
      return toUpdate(item.value, subject);
    } catch (failure) {
      return { failure };
    }
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopWatching();
    void this.#stream.return();
  }
}

const updates = new WeakMap<FeedItem, ShownUpdate<unknown>>();

/** One object for all the streams that tell the same, by which they know that they do. */
function toUpdate<T>(item: FeedItem, subject: T | null): ShownUpdate<T> {
  const known = updates.get(item);
  if (known?.subject === subject) return known as ShownUpdate<T>;
  const { cursor, change } = item;
  const update = { cursor, change: change.kind, id: change.subject_id, subject };
  updates.set(item, update);
  return update;
}
