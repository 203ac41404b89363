// The live feed of this process: one reader of the changes, in order, shared by all streams.
import type { Logger } from 'pino';
import {
  deleteForeignChanges,
  readChanges,
  readFeedHead,
  readPresent,
  type ChangeFilter,
  type ChangePage,
  type FeedHead,
  type FeedPosition,
} from '../../schema/database/changes.ts';
import type { ChangeRow, Db } from '../../schema/database/database.ts';
import type { Listener } from '../../schema/database/listen.ts';
import { AppError } from '../../schema/errors.ts';
import {
  cursorExpired,
  invalidCursor,
  isAfter,
  readFeedCursor,
  toFeedCursor,
  type FeedPlace,
} from './cursor.ts';
import { Recent, type PlacedItem } from './recent.ts';
import { parseSnapshot } from './snapshot.ts';
import { Subscriber, type FeedStream, type Missed } from './subscriber.ts';
import { Subscribers } from './subscribers.ts';

export interface Feed {
  /** What `read` finds at one moment, and the cursor behind which is every change that it lacks. */
  readPresent<T>(read: (db: Db) => Promise<T>): Promise<{ cursor: string; state: T }>;
  /** Every change after the cursor (default: from now on), in order and each once. */
  subscribe(options: ChangeFilter & { after?: string | undefined }): Promise<FeedStream>;
  close(): Promise<void>;
}

export interface FeedOptions {
  db: Db;
  listener: Listener;
  log: Logger;
  /** How many streams a project may have open at once. */
  maxStreamsPerProject: number;
}

const pageSize = 1_000;
/** A subscriber's page is small, so that it goes live before much is pushed. */
const missedPageSize = 250;
/** How often the head is looked at while nobody listens. */
const idleMs = 400;
/** Changes held back by a slow transaction are looked for again after this. */
const heldBackMs = 10;

export function createFeed({ db, listener, log, maxStreamsPerProject }: FeedOptions): Feed {
  const subscribers = new Subscribers(maxStreamsPerProject);
  let head: FeedHead | undefined;
  let reached: FeedPosition = { xid: 0n, id: 0n };
  const recent = new Recent(reached);
  let isQueued = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let skippedAtMs = 0;
  let hasFailed = false;
  const ended = new AbortController();
  const { signal } = ended;

  /** A ring only says that there is something to read: one run reads for all the rings before it. */
  function wake(): void {
    isQueued = true;
    if (!signal.aborted) running ??= run();
  }

  async function run(): Promise<void> {
    try {
      while (isQueued && !signal.aborted) {
        isQueued = false;
        await poll();
      }
      hasFailed = false;
    } catch (err) {
      if (!hasFailed && !signal.aborted) log.warn({ err }, 'the live feed cannot be read');
      hasFailed = true;
    } finally {
      running = undefined;
    }
  }

  async function poll(): Promise<void> {
    if (!head) await deleteForeignChanges(db);
    if (subscribers.isEmpty) {
      if (Date.now() - skippedAtMs < idleMs) return;
      const next = await readFeedHead(db);
      if (skipTo(next)) return;
    }
    let page: ChangePage;
    do {
      page = await readChanges(db, reached, pageSize);
      take(page);
    } while (!page.isLast && !signal.aborted);
    if (page.isHeldBack) {
      clearTimeout(retry);
      retry = setTimeout(wake, heldBackMs);
    }
  }

  /** Nobody listens: what comes later is all that matters. False: somebody began to meanwhile. */
  function skipTo(next: FeedHead): boolean {
    learn(next);
    if (!subscribers.isEmpty) return false;
    skippedAtMs = Date.now();
    reached = { xid: next.horizon, id: 0n };
    recent.clear(reached);
    return true;
  }

  function take(page: ChangePage): void {
    learn(page);
    const items = page.changes.map((change) => place(page.epoch, change));
    recent.add(items);
    reached = page.position;
    for (const item of items) subscribers.push(item);
  }

  function learn(next: FeedHead): void {
    const isOther = head !== undefined && head.epoch !== next.epoch;
    head = next;
    if (isOther) subscribers.failAll(() => cursorExpired(next));
  }

  async function readMissed({ position, filter }: Subscriber): Promise<Missed> {
    const page = await readChanges(db, position, pageSize, filter);
    if (head && page.epoch !== head.epoch) throw cursorExpired(page);
    // The table may have been pruned up to here since the cursor was checked.
    if (position.xid <= page.prunedXid) throw cursorExpired(page);
    const items = page.changes.map((change) => place(page.epoch, change));
    return { items, position: page.position, isLive: false };
  }

  /** In one go, so that nothing is pushed between the last look back and going live. */
  function join({ position, filter }: Subscriber): Missed {
    const items = recent.after(position, filter, missedPageSize);
    const isLive = items.length < missedPageSize;
    const seen = items.at(-1)?.position ?? position;
    return { items, isLive, position: isLive && isAfter(reached, seen) ? reached : seen };
  }

  /** Where a cursor stands. What this process has read may be older than what the cursor's has. */
  async function locate(cursor: string): Promise<FeedPlace> {
    const known = readFeedCursor(cursor, head!);
    if (known) return known;
    learn(await readFeedHead(db));
    const place = readFeedCursor(cursor, head!);
    if (!place) throw invalidCursor();
    return place;
  }

  async function ready(): Promise<FeedHead> {
    if (signal.aborted) throw closing();
    if (!head) {
      const next = await readFeedHead(db);
      if (!head) skipTo(next);
    }
    return head!;
  }

  const stopListening = listener.on('fanfare_changes', wake);
  wake();

  return {
    async readPresent(read) {
      const { epoch, snapshot, state } = await readPresent(db, read);
      const seen = parseSnapshot(snapshot);
      const position = { xid: seen.begin, id: 0n };
      return { cursor: toFeedCursor(epoch, { position, seen }), state };
    },

    async subscribe({ after, ...filter }) {
      // Where the reader stands now, not later: nothing committed from here on can be before it.
      const now = head && reached;
      await ready();
      const place = after === undefined ? { position: now ?? reached } : await locate(after);
      if (signal.aborted) throw closing();
      const subscriber = new Subscriber({
        filter,
        epoch: head!.epoch,
        place,
        readMissed: (self) => (isAfter(recent.from, self.position) ? readMissed(self) : join(self)),
        onEnd: (self) => subscribers.delete(self),
      });
      subscribers.add(subscriber);
      wake();
      return subscriber;
    },

    async close() {
      ended.abort();
      stopListening();
      clearTimeout(retry);
      subscribers.failAll(closing);
      await running;
    },
  };
}

function place(epoch: string, change: ChangeRow): PlacedItem {
  const position = { xid: BigInt(change.xid), id: BigInt(change.id) };
  return { position, cursor: toFeedCursor(epoch, { position }), change };
}

function closing(): AppError {
  return new AppError('unavailable', 'This server is going down.', {
    hint: 'Subscribe again with `after` set to the last cursor.',
    retryAfterS: 1,
  });
}
