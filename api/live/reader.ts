// The one reader of the feed in this process: reads the changes in order and pushes each to the streams.
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import {
  deleteForeignChanges,
  readChanges,
  readFeedHead,
  type ChangePage,
  type FeedHead,
  type FeedPosition,
} from '../../schema/database/live/changes.ts';
import type { ChangeRow, Db } from '../../schema/database/tables.ts';
import type { Listener } from '../../schema/database/live/listen.ts';
import { cursorExpired, isAfter, isPruned, toFeedCursor } from './cursor.ts';
import { Recent, type PlacedChange } from './recent.ts';
import { unreadable, type Missed, type Subscriber } from './subscriber.ts';
import type { Subscribers } from './subscribers.ts';

export interface ReaderOptions {
  db: Db;
  listener: Listener;
  log: Logger;
  subscribers: Subscribers;
  /** How long streams wait for a database that can't be read before they end with `unavailable`. */
  awayMs: number;
}

const pageSize = 1_000;
/** A subscriber's page is small, so that it goes live before much is pushed. */
const missedPageSize = 250;
/** How many streams may read what they missed at once: after a restart all of them have to. */
const maxReading = 3;
/** How often the head is looked at while nobody listens. */
const idleMs = 400;
/** Changes held back by a slow transaction are looked for again after this, and then ever less often. */
const heldBackMs = 10;
const longestHeldBackMs = 250;

export class Reader {
  readonly #options: ReaderOptions;
  readonly #recent: Recent;
  readonly #inTurn = pLimit(maxReading);
  readonly #stopListening: () => void;
  #reached: FeedPosition = { xid: 0n, id: 0n };
  #durable: FeedPosition = this.#reached;
  #head: FeedHead | undefined;
  /** Until the reader has found its place: at first, and whenever the connection was lost. */
  #standing: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #isQueued = false;
  #isEnded = false;
  #running: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = heldBackMs;
  #skippedAtMs = 0;
  #hasFailed = false;
  /** Runs from the first failure until the feed is read again. */
  #away: NodeJS.Timeout | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#recent = new Recent(this.#reached);
    const { listener } = options;
    const stopListening = listener.on('fanfare_changes', () => this.wake());
    const stopWatching = listener.onLost(() => this.#rewind());
    this.#stopListening = () => {
      stopListening();
      stopWatching();
    };
    this.wake();
  }

  /** Every change up to here has been pushed. */
  get reached(): FeedPosition {
    return this.#reached;
  }

  /** The same place in terms that outlive a crash of the database. */
  get durable(): FeedPosition {
    return this.#durable;
  }

  /** Undefined until it is read. */
  get head(): FeedHead | undefined {
    return this.#head;
  }

  /** A notification only says that there is something to read: one run reads for all the notifications before it. */
  wake(): void {
    this.#isQueued = true;
    if (!this.#isEnded) this.#running ??= this.#run();
  }

  /** The head as this process knows it. */
  async readyHead(): Promise<FeedHead> {
    if (!this.#head) {
      const next = await readFeedHead(this.#options.db);
      if (!this.#head) this.#skipTo(next);
    }
    return this.#head!;
  }

  /** The head as it is now. What this process has read may be older than what others have. */
  async readHead(): Promise<FeedHead> {
    this.#learn(await readFeedHead(this.#options.db));
    return this.#head!;
  }

  readMissed(subscriber: Subscriber): Missed | Promise<Missed> {
    // A stream waits while the database is away, until `#startAway` ends it.
    if (this.#standing) return this.#standing.promise.then(() => this.readMissed(subscriber));
    return isAfter(this.#recent.from, subscriber.position)
      ? this.#readFromTable(subscriber)
      : this.#join(subscriber);
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    this.#stopListening();
    clearTimeout(this.#retry);
    clearTimeout(this.#away);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    try {
      while (this.#isQueued && !this.#isEnded) {
        this.#isQueued = false;
        await this.#poll();
      }
      this.#hasFailed = false;
      clearTimeout(this.#away);
      this.#away = undefined;
    } catch (err) {
      if (!this.#hasFailed && !this.#isEnded) log.warn({ err }, 'the live feed cannot be read');
      this.#hasFailed = true;
      this.#startAway();
    } finally {
      this.#running = undefined;
    }
  }

  async #poll(): Promise<void> {
    const { db, subscribers } = this.#options;
    if (this.#standing) {
      await deleteForeignChanges(db);
      const first = await readFeedHead(db);
      if (!this.#learn(first) && this.#standing) this.#standAt(first);
    }
    if (subscribers.isEmpty) {
      if (Date.now() - this.#skippedAtMs < idleMs) return;
      const next = await readFeedHead(db);
      if (this.#skipTo(next)) return;
    }
    let page: ChangePage;
    do {
      const from = this.#reached;
      page = await readChanges(db, from, pageSize);
      this.#take(page);
      if (isAfter(this.#reached, from)) this.#retryMs = heldBackMs;
    } while (!page.isLast && !this.#isEnded && !this.#standing);
    if (page.isHeldBack) this.#lookAgainSoon();
  }

  #lookAgainSoon(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.wake(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, longestHeldBackMs);
  }

  /** Tells every stream how far it is. */
  mark(): void {
    if (!this.#head) return;
    const position = this.#durable;
    const cursor = toFeedCursor(this.#head.epoch, { position });
    this.#options.subscribers.mark({ position, cursor, change: null });
  }

  /** Nobody listens: what comes later is all that matters. False: somebody began to meanwhile. */
  #skipTo(next: FeedHead): boolean {
    this.#learn(next);
    if (!this.#options.subscribers.isEmpty) return false;
    this.#skippedAtMs = Date.now();
    this.#standAt(next);
    return true;
  }

  /**
   * Whoever loses the connection may have lost a database that crashed: ids that left nothing on its disk
   * come again, and all positions among them would hide what comes with those.
   */
  #rewind(): void {
    this.#reached = this.#durable;
    this.#standing ??= Promise.withResolvers();
    this.#options.subscribers.rewind();
    this.#startAway();
  }

  /** A short loss is only a wait for the streams; after a long one their clients must know. */
  #startAway(): void {
    if (this.#isEnded) return;
    this.#away ??= setTimeout(() => {
      this.#away = undefined;
      this.#options.subscribers.failAll(unreadable);
    }, this.#options.awayMs);
  }

  #standAt({ horizon, last }: FeedHead): void {
    this.#reached = { xid: horizon, id: 0n };
    this.#durable = last;
    this.#recent.clear(this.#reached);
    this.#standing?.resolve();
    this.#standing = undefined;
  }

  #take(page: ChangePage): void {
    // What was read on a connection that is lost by now is read again.
    if (this.#standing || this.#learn(page)) return;
    const items = page.changes.map((change) => place(page.epoch, change));
    this.#recent.add(items);
    this.#reached = page.position;
    this.#durable = page.isLast ? page.last : page.position;
    for (const item of items) this.#options.subscribers.push(item);
  }

  /** True: it is another life of the database, whose changes have to be read anew. */
  #learn(next: FeedHead): boolean {
    const isOther = this.#head !== undefined && this.#head.epoch !== next.epoch;
    this.#head = next;
    if (!isOther) return false;
    this.#standAt(next);
    this.#options.subscribers.failAll(() => cursorExpired(next));
    return true;
  }

  async #readFromTable({ position, filter }: Subscriber): Promise<Missed> {
    const { db } = this.#options;
    const page = await this.#inTurn(() => readChanges(db, position, pageSize, filter));
    if (this.#head && page.epoch !== this.#head.epoch) throw cursorExpired(page);
    // The table may have been pruned up to here since the cursor was checked.
    if (isPruned(position, page)) throw cursorExpired(page);
    const items = page.changes.map((change) => place(page.epoch, change));
    return { items, position: page.position, isLive: false };
  }

  /** In one go, so that nothing is pushed between the last look back and going live. */
  #join({ position, filter }: Subscriber): Missed {
    const items = this.#recent.after(position, filter, missedPageSize);
    const isLive = items.length < missedPageSize;
    const seen = items.at(-1)?.position ?? position;
    const reached = this.#reached;
    return { items, isLive, position: isLive && isAfter(reached, seen) ? reached : seen };
  }
}

function place(epoch: string, change: ChangeRow): PlacedChange {
  const position = { xid: BigInt(change.xid), id: BigInt(change.id) };
  return { position, cursor: toFeedCursor(epoch, { position }), change };
}
