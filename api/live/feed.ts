// The live feed of this process: opens streams at a cursor, and ends them all.
import {
  keepTransactionIds,
  readPresent,
  type ChangeFilter,
} from '../../schema/database/live/changes.ts';
import type { Db } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import {
  cursorExpired,
  parseSnapshot,
  readFeedCursor,
  toFeedCursor,
  type FeedPlace,
} from './cursor.ts';
import { createReader, type ReaderOptions } from './reader.ts';
import { Subscriber, type FeedStream } from './subscriber.ts';
import { createSubscribers } from './subscribers.ts';

export interface Feed {
  /** Reads a state and a cursor. Every change that the state lacks comes after the cursor. */
  readPresent<T>(read: (db: Db) => Promise<T>): Promise<{ cursor: string; state: T }>;
  /** Every change after the cursor, in order and once. Default: from now on, or from shortly before. */
  subscribe(options: ChangeFilter & { after?: string | undefined }): Promise<FeedStream>;
  close(): Promise<void>;
}

export interface FeedOptions extends ReaderOptions {
  /** How many streams a project may have open at once. */
  maxStreamsPerProject: number;
  /** How often a quiet stream gets a newer cursor. */
  bookmarkEveryMs: number;
}

export function createFeed(options: FeedOptions): Feed {
  const { db, maxStreamsPerProject, bookmarkEveryMs } = options;
  const subscribers = createSubscribers(maxStreamsPerProject);
  const reader = createReader(options, subscribers);
  const bookmarking = setInterval(() => reader.mark(), bookmarkEveryMs);
  let isClosed = false;

  async function locate(cursor: string): Promise<FeedPlace> {
    const known = readFeedCursor(cursor, await reader.readyHead());
    if (known) return known;
    const head = await reader.readHead();
    const place = readFeedCursor(cursor, head);
    // The cursor is newer than the database, because a backup was restored.
    if (!place) throw cursorExpired(head);
    return place;
  }

  return {
    async readPresent(read) {
      const { epoch, snapshot, state } = await readPresent(db, read);
      await keepTransactionIds(db);
      const seen = parseSnapshot(snapshot);
      const position = { xid: seen.begin, id: 0n };
      return { cursor: toFeedCursor(epoch, { position, seen }), state };
    },

    async subscribe({ after, ...filter }) {
      if (isClosed) throw closing();
      // Read before any wait, so that everything committed from here on comes after the position.
      const now = reader.head() && reader.progress();
      await reader.readyHead();
      const { position, durable } = now ?? reader.progress();
      const place = after === undefined ? { position } : await locate(after);
      if (isClosed) throw closing();
      const subscriber = new Subscriber({
        filter,
        epoch: reader.head()!.epoch,
        place,
        durable: after === undefined ? durable : place.position,
        readMissed: (self) => reader.readMissed(self),
        onEnd: (self) => subscribers.delete(self),
      });
      subscribers.add(subscriber);
      reader.wake();
      return subscriber;
    },

    async close() {
      isClosed = true;
      clearInterval(bookmarking);
      subscribers.forEach((subscriber) => subscriber.fail(closing()));
      await reader.close();
    },
  };
}

function closing(): AppError {
  return new AppError('unavailable', 'This server is stopping.', {
    hint: 'Subscribe again with `after` set to the cursor.',
    retryAfterS: 1,
  });
}
