// The live feed of this process: what a stream begins with, where it begins, and how all of them end.
import type { Logger } from 'pino';
import {
  keepTransactionIds,
  readPresent,
  type ChangeFilter,
} from '../../schema/database/live/changes.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Listener } from '../../schema/database/live/listen.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { cursorExpired, readFeedCursor, toFeedCursor, type FeedPlace } from './cursor.ts';
import { Reader } from './reader.ts';
import { parseSnapshot } from './snapshot.ts';
import { Subscriber, type FeedStream } from './subscriber.ts';
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
  /** How long streams wait for a database that can't be read before they end with `unavailable`. */
  awayMs: number;
  /** How often a stream is told how far it is, though nothing has happened. */
  bookmarkEveryMs: number;
}

export function createFeed(options: FeedOptions): Feed {
  const { db, maxStreamsPerProject, bookmarkEveryMs } = options;
  const subscribers = new Subscribers(maxStreamsPerProject);
  const reader = new Reader({ ...options, subscribers });
  const bookmarking = setInterval(() => reader.mark(), bookmarkEveryMs);
  let isClosed = false;

  const standing = () => ({ position: reader.reached, durable: reader.durable });

  async function locate(cursor: string): Promise<FeedPlace> {
    const known = readFeedCursor(cursor, await reader.readyHead());
    if (known) return known;
    const head = await reader.readHead();
    const place = readFeedCursor(cursor, head);
    // What it was given for is not there any more: an older copy of the database took its place.
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
      // Where the reader stands now, not later: nothing committed from here on can be before it.
      const now = reader.head && standing();
      await reader.readyHead();
      const { position, durable } = now ?? standing();
      const place = after === undefined ? { position } : await locate(after);
      if (isClosed) throw closing();
      const subscriber = new Subscriber({
        filter,
        epoch: reader.head!.epoch,
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
      subscribers.failAll(closing);
      await reader.close();
    },
  };
}

function closing(): AppError {
  return new AppError('unavailable', 'This server is going down.', {
    hint: 'Subscribe again with `after` set to the last cursor.',
    retryAfterS: 1,
  });
}
