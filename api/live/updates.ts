// From the feed to what a subscription sends: present state first, then each change with its subject.
import { LRUCache } from 'lru-cache';
import { hasChangesOf } from '../../schema/database/changes.ts';
import type { ChangeRow, ChangeSubject } from '../../schema/database/database.ts';
import { AppError } from '../../schema/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import { requireScope } from '../auth.ts';
import type { Caller, Context } from '../context.ts';
import { requireCaller, type GraphqlContext } from '../graphql-context.ts';
import { readId } from '../graphql-operation.ts';
import type { FeedItem } from './recent.ts';
import type { FeedStream } from './subscriber.ts';

/** One message. The last one of a stream that broke is the reason. */
export type Update<T> = ShownUpdate<T> | { failure: unknown };

export interface ShownUpdate<T> {
  cursor: string;
  change: string;
  /** Of the subject; stays known when that is gone. Null: the message is a bookmark. */
  id: string | null;
  subject: T | null;
}

type Get<T> = (this: void, context: Context, caller: Caller, id: string) => Promise<T>;

/** Something of the project that a stream is about; `get` throws where it is another's. */
export interface Named<T> {
  /** What the key needs to be told whether there is such a thing. */
  scope: Scope;
  subject: ChangeSubject;
  id: string | null | undefined;
  get: Get<T>;
}

export interface UpdatesOptions<T> extends Named<T> {
  after: string | null | undefined;
  read(change: ChangeRow): Promise<T | null>;
  /** What else must be the project's own, since the subscription asks for what belongs to it. */
  within?: readonly Named<unknown>[];
  /** Where no id is given: what the stream begins with, if anything. */
  findPresent?: ((context: Context, caller: Caller) => Promise<T | undefined>) | undefined;
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
/** The `change` of a message that tells nothing but a newer cursor. */
const bookmark = 'bookmark';

export async function openUpdates<T extends { id: string }>(
  graphql: GraphqlContext,
  options: UpdatesOptions<T>,
): Promise<AsyncIterable<Update<T>>> {
  const { app } = graphql;
  const { subject, id, within = [], after, isWanted = () => true } = options;
  const caller = requireCaller(graphql, options.scope);
  const filter = { projectId: caller.projectId, subject, subjectId: id ?? undefined };
  for (const named of within) {
    if (typeof named.id === 'string') requireScope(caller, named.scope);
    await requireKnown(app, caller, named, after);
  }
  if (typeof after === 'string') {
    await requireKnown(app, caller, options, after);
    const stream = await app.feed.subscribe({ ...filter, after });
    return new Updates(graphql, caller, stream, options);
  }
  const findPresent = presentOf(options);
  if (!findPresent) {
    return new Updates(graphql, caller, await app.feed.subscribe(filter), options);
  }
  const { cursor, state } = await app.feed.readPresent((db) => findPresent({ ...app, db }, caller));
  const stream = await app.feed.subscribe({ ...filter, after: cursor });
  if (!state || !isWanted(state)) return new Updates(graphql, caller, stream, options);
  const first = { cursor, change: presentState, id: state.id, subject: state };
  return new Updates(graphql, caller, stream, options, first);
}

function presentOf<T>({ subject, id, get, findPresent }: UpdatesOptions<T>) {
  if (typeof id !== 'string') return findPresent;
  return (context: Context, caller: Caller) => get(context, caller, readId(subject, id));
}

/** What is resumed may be gone by now: its end is then among the changes that are told. */
async function requireKnown(
  app: Context,
  caller: Caller,
  { subject, id, get }: Named<unknown>,
  after: string | null | undefined,
): Promise<void> {
  if (typeof id !== 'string') return;
  const subjectId = readId(subject, id);
  try {
    await get(app, caller, subjectId);
  } catch (error) {
    const isGone =
      typeof after === 'string' &&
      error instanceof AppError &&
      error.code === 'not_found' &&
      (await hasChangesOf(app.db, { projectId: caller.projectId, subject, subjectId }));
    if (!isGone) throw error;
  }
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
  #refusal: AppError | undefined;

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
    this.#stopWatching = keyWatch.watch(keyId, () => {
      // Nothing more is shown, neither what waits for the client nor what was read ahead for it.
      this.#refusal = new AppError('unauthorized', 'The API key has been revoked or has expired.');
      stream.fail(this.#refusal);
    });
  }

  async next(): Promise<IteratorResult<Update<T>, undefined>> {
    while (!this.#isEnded) {
      while (this.#steps.length < readAhead) this.#steps.push(this.#step());
      const next = await this.#steps.shift()!;
      const step: Step<T> = this.#refusal ? { failure: this.#refusal } : next;
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
      const { cursor, change } = item.value;
      if (!change) return { cursor, change: bookmark, id: null, subject: null };
      const subject = await this.#options.read(change);
      const { isWanted } = this.#options;
      if (isWanted && (subject === null || !isWanted(subject))) return 'unwanted';
      return toUpdate(item.value, change, subject);
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

const updates = new LRUCache<FeedItem, ShownUpdate<unknown>>({ max: 500 });

/** One object for all the streams that tell the same, by which they know that they do. */
function toUpdate<T>(item: FeedItem, change: ChangeRow, subject: T | null): ShownUpdate<T> {
  const known = updates.get(item);
  if (known?.subject === subject) return known as ShownUpdate<T>;
  const update = { cursor: item.cursor, change: change.kind, id: change.subject_id, subject };
  updates.set(item, update);
  return update;
}
