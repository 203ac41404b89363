// The messages of a stream: each change with its subject, read ahead, until the client, the key or the feed ends.
import { LRUCache } from 'lru-cache';
import type { KeyEnvironment } from '../../schema/api-keys.ts';
import { bookmark } from '../../schema/change-kinds.ts';
import type { ChangeRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Caller } from '../server/context.ts';
import type { GraphqlContext } from '../graphql/context.ts';
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

/** What the field shows of an update; a broken stream shows as an error of its last message. */
export function showUpdate<T>(update: Update<T>): ShownUpdate<T> {
  if ('failure' in update) throw update.failure;
  return update;
}

/** What the messages show, and which of them. */
export interface SubjectReading<T> {
  read(change: ChangeRow, environment: KeyEnvironment): Promise<T | null>;
  /** Whether the subscription is about it; of what is gone by then nobody knows, so it is left out. */
  isWanted?: ((subject: T) => boolean) | undefined;
}

/** How many changes are read ahead of the client, so that one query reads their subjects. */
const readAhead = 16;

type Step<T> = Update<T> | 'unwanted' | 'end';

export class Updates<T> implements AsyncIterableIterator<Update<T>, undefined, undefined> {
  readonly #stream: FeedStream;
  readonly #reading: SubjectReading<T>;
  readonly #environment: KeyEnvironment;
  readonly #stopWatching: () => void;
  #steps: Promise<Step<T>>[] = [];
  #isEnded = false;
  #refusal: AppError | undefined;

  constructor(
    { keyWatch }: GraphqlContext,
    { keyId, environment }: Caller,
    stream: FeedStream,
    reading: SubjectReading<T>,
    first?: Update<T>,
  ) {
    this.#stream = stream;
    this.#reading = reading;
    this.#environment = environment;
    if (first) this.#steps.push(Promise.resolve(first));
    this.#stopWatching = keyWatch.watch(keyId, () => {
      // Nothing more is shown, neither what waits for the client nor what was read ahead for it.
      const refusal = new AppError('unauthorized', 'The API key has been revoked or has expired.');
      this.#refusal = refusal;
      stream.fail(() => refusal);
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
      const { change } = item.value;
      if (!change) return toUpdate<T>(item.value, null);
      const subject = await this.#reading.read(change, this.#environment);
      if (subject === null && !this.#mayShowGone(change)) return 'unwanted';
      const { isWanted } = this.#reading;
      if (isWanted && (subject === null || !isWanted(subject))) return 'unwanted';
      return toUpdate(item.value, subject);
    } catch (failure) {
      return { failure };
    }
  }

  /** Whether to send a change whose subject is gone, or not for this key. Only a deletion has an environment. */
  #mayShowGone({ environment }: ChangeRow): boolean {
    return this.#environment === 'production' || environment === 'test';
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
function toUpdate<T>(item: FeedItem, subject: T | null): ShownUpdate<T> {
  const known = updates.get(item);
  if (known?.subject === subject) return known as ShownUpdate<T>;
  const { cursor, change } = item;
  const told = { change: change?.kind ?? bookmark, id: change?.subject_id ?? null };
  const update = { cursor, ...told, subject };
  updates.set(item, update);
  return update;
}
