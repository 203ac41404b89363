// One stream of the feed: first the missed changes, page by page, then the pushed ones.
import type { ChangeFilter, FeedPosition } from '../../schema/database/live/changes.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { hasSeen, isAfter, toFeedCursor, type FeedPlace, type Snapshot } from './cursor.ts';
import type { FeedItem, PlacedItem } from './recent.ts';

/** How much may wait for a slow client before its stream ends. */
const maxWaiting = 1_000;
const retryAfterS = 1;

export interface Missed {
  items: PlacedItem[];
  position: FeedPosition;
  /** Whether no earlier changes are missing, so that later changes are pushed. */
  isLive: boolean;
}

export interface SubscriberOptions {
  filter: ChangeFilter;
  epoch: string;
  /** Position before the first item. */
  place: FeedPlace;
  /** Where to resume after a crash of the database. */
  durable: FeedPosition;
  readMissed(subscriber: Subscriber): Missed | Promise<Missed>;
  /** Called when the client has left, or knows why the stream broke. */
  onEnd(subscriber: Subscriber): void;
}

/** `fail` and `return` take effect even while a call of `next` waits. */
export interface FeedStream extends AsyncIterableIterator<FeedItem, undefined, undefined> {
  /** Where the stream begins. Each item has a cursor of its own. */
  readonly startCursor: string;
  return(): Promise<IteratorResult<FeedItem, undefined>>;
  /** Ends the stream with this error, after the queued items. */
  fail(reason: AppError): void;
}

type Waiter = PromiseWithResolvers<IteratorResult<FeedItem, undefined>>;

export class Subscriber implements FeedStream {
  readonly filter: ChangeFilter;
  readonly startCursor: string;
  position: FeedPosition;
  readonly #options: SubscriberOptions;
  /** The position after the last queued item. Reading resumes here after a crash of the database. */
  #durable: FeedPosition;
  #rewinds = 0;
  /** The snapshot of the state that the client saw first. Undefined once the stream is past the snapshot. */
  #seen: Snapshot | undefined;
  #queue: PlacedItem[] = [];
  #waiters: Waiter[] = [];
  #isLive = false;
  #isReading = false;
  #isEnded = false;
  #failure: AppError | undefined;

  constructor(options: SubscriberOptions) {
    this.#options = options;
    this.filter = options.filter;
    this.position = options.place.position;
    this.#seen = options.place.seen;
    this.#durable = options.durable;
    this.startCursor = toFeedCursor(options.epoch, { position: options.durable, seen: this.#seen });
  }

  /**
   * Called for each change in order. A stream that still catches up finds the change among the recent ones.
   */
  push(item: PlacedItem): void {
    if (!this.#isLive || this.#isEnded || !isAfter(item.position, this.position)) return;
    this.position = item.position;
    if (this.#queue.length < maxWaiting) {
      this.#enqueue(item);
      this.#settle();
      return;
    }
    this.#queue = [];
    this.fail(slowConsumer());
  }

  /**
   * Every change up to the bookmark has been pushed. A bookmark keeps the cursor of a quiet stream from
   * expiring.
   */
  mark(bookmark: PlacedItem): void {
    if (!this.#isLive || this.#isEnded || !isAfter(bookmark.position, this.#durable)) return;
    this.#enqueue(bookmark);
    this.#settle();
  }

  /**
   * Goes back to the durable position, because the database may have crashed and reuse IDs before the
   * stream's position.
   */
  rewind(): void {
    this.#rewinds++;
    this.#isLive = false;
    this.position = this.#durable;
    this.#settle();
  }

  fail(reason: AppError): void {
    if (this.#isEnded) return;
    this.#failure = reason;
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

  /** Resolves waiting calls of `next`, and reads on if nothing is queued. */
  #settle(): void {
    while (this.#waiters.length > 0) {
      const item = this.#queue.shift();
      if (item) {
        this.#waiters.shift()!.resolve({ done: false, value: this.#withSnapshot(item) });
      } else if (this.#failure) {
        const failure = this.#failure;
        this.#failure = undefined;
        this.#waiters.shift()!.reject(failure);
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

  /** The cursor carries the snapshot as long as changes that the snapshot includes may follow. */
  #withSnapshot(item: PlacedItem): FeedItem {
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
      this.fail(error instanceof AppError ? error : unreadable(error));
    } finally {
      this.#isReading = false;
    }
    this.#settle();
  }
}

function slowConsumer(): AppError {
  return new AppError(
    'slow_consumer',
    `The client reads too slowly: more than ${maxWaiting} changes are waiting.`,
    {
      hint: 'Subscribe again with `after` set to the cursor. Read faster, or subscribe to less.',
      retryAfterS,
    },
  );
}

export function unreadable(cause?: unknown): AppError {
  return new AppError('unavailable', 'The changes cannot be read right now.', {
    hint: 'Subscribe again with `after` set to the cursor.',
    retryAfterS,
    cause,
  });
}
