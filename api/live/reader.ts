// The one reader of the feed in this process. It reads all changes in order and pushes them to the streams.
import type { Logger } from 'pino';
import { createFairPlaces } from '../../activities/fair-places.ts';
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
import { createRecentChanges, type PlacedChange } from './recent.ts';
import { unreadable, type Missed, type Subscriber } from './subscriber.ts';
import type { Subscribers } from './subscribers.ts';

export interface ReaderOptions {
  db: Db;
  listener: Listener;
  log: Logger;
  /** How long streams wait for an unreadable database before they end with `unavailable`. */
  awayMs: number;
}

const pageSize = 1_000;
/** A stream's page is small, so that the stream goes live before much is pushed. */
const missedPageSize = 250;
/**
 * How many streams may read missed changes at once, at most two of one project. After a restart, all streams
 * have missed changes to read.
 */
const maxReading = 3;
/** How often the head is read while no stream is open. */
const idleMs = 1_000;
/**
 * A slow transaction holds changes back. The reader checks again after this time, then less and less often.
 */
const heldBackMs = 10;
const longestHeldBackMs = 250;

export function createReader(options: ReaderOptions, subscribers: Subscribers) {
  const { db, listener, awayMs } = options;
  const log = options.log.child({ component: 'feed' });
  const inPlace = createFairPlaces(maxReading);
  let reached: FeedPosition = { xid: 0n, id: 0n };
  let durable = reached;
  let head: FeedHead | undefined;
  /** Pending until the reader knows its position: at first, and after each lost connection. */
  let locating: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  const recent = createRecentChanges(reached);
  let isQueued = false;
  let hasEnded = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = heldBackMs;
  let skippedAtMs = 0;
  let hasFailed = false;
  /** Runs from the first failure until the feed is read again. */
  let awayTimer: NodeJS.Timeout | undefined;

  const stopListening = listener.on('fanfare_changes', wake);
  const stopWatching = listener.onLost(rewind);
  wake();

  /** One run reads for all notifications before it. */
  function wake(): void {
    isQueued = true;
    if (!hasEnded) running ??= run();
  }

  async function run(): Promise<void> {
    try {
      while (isQueued && !hasEnded) {
        isQueued = false;
        await poll();
      }
      hasFailed = false;
      clearTimeout(awayTimer);
      awayTimer = undefined;
    } catch (err) {
      if (!hasFailed && !hasEnded) log.warn({ err }, 'cannot read the live feed');
      hasFailed = true;
      startAwayTimer();
    } finally {
      running = undefined;
    }
  }

  async function poll(): Promise<void> {
    if (locating) {
      await deleteForeignChanges(db);
      const first = await readFeedHead(db);
      if (!setHead(first) && locating) moveTo(first);
    }
    if (subscribers.isEmpty()) {
      if (Date.now() - skippedAtMs < idleMs) return;
      if (skipTo(await readFeedHead(db))) return;
    }
    let page: ChangePage;
    do {
      const from = reached;
      page = await readChanges(db, from, pageSize);
      push(page);
      if (isAfter(reached, from)) retryMs = heldBackMs;
    } while (!page.isLast && !hasEnded && !locating);
    if (!page.isHeldBack) return;
    clearTimeout(retry);
    retry = setTimeout(wake, retryMs);
    retryMs = Math.min(retryMs * 2, longestHeldBackMs);
  }

  function push(page: ChangePage): void {
    // The page is read again if its connection was lost meanwhile.
    if (locating || setHead(page)) return;
    const items = page.changes.map((change) => place(page.epoch, change));
    recent.add(items);
    reached = page.position;
    durable = page.isLast ? page.last : page.position;
    for (const item of items) subscribers.push(item);
  }

  /** Without streams, earlier changes don't matter. False: a stream was opened meanwhile. */
  function skipTo(next: FeedHead): boolean {
    setHead(next);
    if (!subscribers.isEmpty()) return false;
    skippedAtMs = Date.now();
    moveTo(next);
    return true;
  }

  function moveTo({ horizon, last }: FeedHead): void {
    reached = { xid: horizon, id: 0n };
    durable = last;
    recent.clear(reached);
    locating?.resolve();
    locating = undefined;
  }

  /** True: the database has a new epoch, so its changes have to be read anew. */
  function setHead(next: FeedHead): boolean {
    const isOther = head !== undefined && head.epoch !== next.epoch;
    head = next;
    if (!isOther) return false;
    moveTo(next);
    subscribers.forEach((subscriber) => subscriber.fail(cursorExpired(next)));
    return true;
  }

  /**
   * After a lost connection, the database may have crashed. It then reuses the transaction ids that it
   * had not written, and positions with those ids would hide the new changes.
   */
  function rewind(): void {
    reached = durable;
    locating ??= Promise.withResolvers();
    subscribers.forEach((subscriber) => subscriber.rewind());
    startAwayTimer();
  }

  /** Streams wait while the database is lost for a short time. After a longer time, they end. */
  function startAwayTimer(): void {
    if (hasEnded) return;
    awayTimer ??= setTimeout(() => {
      awayTimer = undefined;
      subscribers.forEach((subscriber) => subscriber.fail(unreadable()));
    }, awayMs);
  }

  function readMissed(subscriber: Subscriber): Missed | Promise<Missed> {
    if (locating) return locating.promise.then(() => readMissed(subscriber));
    return isAfter(recent.from(), subscriber.position)
      ? readFromTable(subscriber)
      : join(subscriber);
  }

  async function readFromTable({ position, filter }: Subscriber): Promise<Missed> {
    const page = await inPlace(filter.projectId, () => readChanges(db, position, pageSize, filter));
    if (head && page.epoch !== head.epoch) throw cursorExpired(page);
    // The table may have been pruned since the cursor was checked.
    if (isPruned(position, page)) throw cursorExpired(page);
    const items = page.changes.map((change) => place(page.epoch, change));
    return { items, position: page.position, isLive: false };
  }

  /** Synchronous, so that nothing is pushed between the last read and going live. */
  function join({ position, filter }: Subscriber): Missed {
    const items = recent.after(position, filter, missedPageSize);
    const isLive = items.length < missedPageSize;
    const seen = items.at(-1)?.position ?? position;
    return { items, isLive, position: isLive && isAfter(reached, seen) ? reached : seen };
  }

  return {
    /** Undefined until it is read. */
    head: () => head,

    /** Every change up to `position` has been pushed. `durable` is a position that outlives a crash. */
    progress: () => ({ position: reached, durable }),

    /** The head as this process knows it. */
    async readyHead(): Promise<FeedHead> {
      if (head) return head;
      const next = await readFeedHead(db);
      if (!head) skipTo(next);
      return head ?? next;
    },

    /** The head in the database, which may be newer. */
    async readHead(): Promise<FeedHead> {
      const next = await readFeedHead(db);
      setHead(next);
      return next;
    },

    readMissed,
    wake,

    /** Sends every stream its current cursor. */
    mark(): void {
      if (!head) return;
      const cursor = toFeedCursor(head.epoch, { position: durable });
      const bookmark = { position: durable, cursor, change: null };
      subscribers.forEach((subscriber) => subscriber.mark(bookmark));
    },

    async close(): Promise<void> {
      hasEnded = true;
      stopListening();
      stopWatching();
      clearTimeout(retry);
      clearTimeout(awayTimer);
      await running;
    },
  };
}

function place(epoch: string, change: ChangeRow): PlacedChange {
  const position = { xid: BigInt(change.xid), id: BigInt(change.id) };
  return { position, cursor: toFeedCursor(epoch, { position }), change };
}
