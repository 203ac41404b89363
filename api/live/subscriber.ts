// One subscriber of the feed: first what it missed, page by page as it asks, then what is pushed.
import type { ChangeFilter, FeedPosition } from '../../schema/database/live/changes.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { isAfter, toFeedCursor, type FeedPlace } from './cursor.ts';
import type { FeedItem, PlacedItem } from './recent.ts';
import { hasSeen, type Snapshot } from './snapshot.ts';

/** How much may wait for a slow client before its stream ends. */
const maxWaiting = 1_000;
const retryAfterS = 1;

export interface Missed {
  items: PlacedItem[];
  position: FeedPosition;
  /** Nothing more is missed, and what comes from now on is pushed. */
  isLive: boolean;
}

export interface SubscriberOptions {
  filter: ChangeFilter;
  epoch: string;
  /** Where the stream stands before its first item. */
  place: FeedPlace;
  /** The same in terms that outlive a crash of the database. */
  durable: FeedPosition;
  readMissed(subscriber: Subscriber): Missed | Promise<Missed>;
  /** The client has left, or has been told why the stream broke. */
  onEnd(subscriber: Subscriber): void;
}

/** A stream that can be told to stop even while somebody waits for its next item. */
export interface FeedStream extends AsyncIterableIterator<FeedItem, undefined, undefined> {
  return(): Promise<IteratorResult<FeedItem, undefined>>;
  /** The next item is this refusal, and nothing follows it. */
  fail(refusal: Refusal): void;
}

/** Given the cursor of the last item, from which the client may resume. */
export type Refusal = (cursor: string) => AppError;

type Waiter = PromiseWithResolvers<IteratorResult<FeedItem, undefined>>;

export class Subscriber implements FeedStream {
  readonly filter: ChangeFilter;
  position: FeedPosition;
  readonly #options: SubscriberOptions;
  /** Behind what was queued last: where to read on after the database has crashed. */
  #durable: FeedPosition;
  #rewinds = 0;
  #cursor: string;
  /** Changes that a state shown before had already, until the stream is past them all. */
  #seen: Snapshot | undefined;
  #queue: PlacedItem[] = [];
  #waiters: Waiter[] = [];
  #isLive = false;
  #isReading = false;
  #isEnded = false;
  #failure: Refusal | undefined;

  constructor(options: SubscriberOptions) {
    this.#options = options;
    this.filter = options.filter;
    this.position = options.place.position;
    this.#seen = options.place.seen;
    this.#durable = options.durable;
    this.#cursor = toFeedCursor(options.epoch, { position: options.durable, seen: this.#seen });
  }

  /** From the reader, in order. Whoever is still catching up finds a change in the recent ones. */
  push(item: PlacedItem): void {
    if (!this.#isLive || this.#isEnded || !isAfter(item.position, this.position)) return;
    this.position = item.position;
    if (this.#queue.length < maxWaiting) {
      this.#enqueue(item);
      this.#settle();
      return;
    }
    this.#queue = [];
    this.fail(slowConsumer);
  }

  /** Every change up to there has been pushed. Without it the cursor of a quiet stream grows too old. */
  mark(bookmark: PlacedItem): void {
    if (!this.#isLive || this.#isEnded || !isAfter(bookmark.position, this.#durable)) return;
    this.#enqueue(bookmark);
    this.#settle();
  }

  /** The database may have crashed, and give ids again that lie before the stream's position. */
  rewind(): void {
    this.#rewinds++;
    this.#isLive = false;
    this.position = this.#durable;
    this.#settle();
  }

  fail(refusal: Refusal): void {
    if (this.#isEnded) return;
    this.#failure = refusal;
    this.#isEnded = true;
    this.#settle();
  }

  next(): Promise<IteratorResult<FeedItem, undefined>> {
    const waiter: Waiter = Promise.withResolvers();
    this.#waiters.push(waiter);
    this.#settle();
    return waiter.promise;
  }

  return(): Promise<IteratorResult<FeedItem, undefined>> {
    this.#queue = [];
    this.#failure = undefined;
    this.#isEnded = true;
    this.#options.onEnd(this);
    this.#settle();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Gives those who wait what there is, and goes to read where there is nothing. */
  #settle(): void {
    while (this.#waiters.length > 0) {
      const item = this.#queue.shift();
      if (item) {
        const value = this.#tell(item);
        this.#cursor = value.cursor;
        this.#waiters.shift()!.resolve({ done: false, value });
      } else if (this.#failure) {
        const failure = this.#failure;
        this.#failure = undefined;
        this.#waiters.shift()!.reject(failure(this.#cursor));
        this.#options.onEnd(this);
      } else if (this.#isEnded) {
        this.#waiters.shift()!.resolve({ done: true, value: undefined });
      } else {
        if (!this.#isLive && !this.#isReading) void this.#readMissed();
        return;
      }
    }
  }

  #enqueue(item: PlacedItem): void {
    this.#durable = item.position;
    if (!this.#seen || !hasSeen(this.#seen, item.position.xid)) this.#queue.push(item);
  }

  /** Its cursor carries what was seen before, as long as there may be more of that to come. */
  #tell(item: PlacedItem): FeedItem {
    const { position } = item;
    if (this.#seen && position.xid >= this.#seen.end) this.#seen = undefined;
    const seen = this.#seen;
    return seen ? { ...item, cursor: toFeedCursor(this.#options.epoch, { position, seen }) } : item;
  }

  async #readMissed(): Promise<void> {
    this.#isReading = true;
    try {
      while (!this.#isLive && !this.#isEnded && this.#queue.length === 0) {
        const rewinds = this.#rewinds;
        const answer = this.#options.readMissed(this);
        const missed = answer instanceof Promise ? await answer : answer;
        if (this.#isEnded) break;
        if (rewinds !== this.#rewinds) continue;
        for (const item of missed.items) this.#enqueue(item);
        this.position = missed.position;
        this.#isLive = missed.isLive;
      }
    } catch (error) {
      this.fail((cursor) => (error instanceof AppError ? error : unreadable(cursor, error)));
    } finally {
      this.#isReading = false;
    }
    this.#settle();
  }
}

function slowConsumer(cursor: string): AppError {
  return new AppError('slow_consumer', `More than ${maxWaiting} changes waited for this client.`, {
    hint: 'Subscribe again with `after` set to the cursor, and read faster or ask for less.',
    details: { cursor },
    retryAfterS,
  });
}

export function unreadable(cursor: string, cause?: unknown): AppError {
  return new AppError('unavailable', 'The changes cannot be read now.', {
    hint: 'Subscribe again with `after` set to the cursor.',
    details: { cursor },
    retryAfterS,
    cause,
  });
}
