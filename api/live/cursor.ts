// Cursors of the live feed: a place in it and the life of the database that the place belongs to.
import type { FeedHead, FeedPosition } from '../../schema/database/changes.ts';
import { AppError, validationError } from '../../schema/errors.ts';

const form = /^(\w{1,64})\.(\d{1,20})\.(\d{1,19})$/;

export function toFeedCursor(epoch: string, { xid, id }: FeedPosition): string {
  return Buffer.from(`${epoch}.${xid}.${id}`).toString('base64url');
}

/** Undefined: the cursor is from a future that this head doesn't know. */
export function readFeedCursor(cursor: string, head: FeedHead): FeedPosition | undefined {
  const [, epoch, xid, id] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (epoch === undefined || toFeedCursor(epoch, toPosition(xid!, id!)) !== cursor) {
    throw invalidCursor();
  }
  const position = toPosition(xid!, id!);
  if (epoch !== head.epoch || position.xid <= head.prunedXid) throw cursorExpired(head);
  return position.xid > head.horizon ? undefined : position;
}

export function invalidCursor(): AppError {
  const message = 'is not a cursor that a subscription gave';
  return validationError([{ path: 'after', code: 'invalid_cursor', message }]);
}

export function cursorExpired({ epoch, prunedXid }: FeedHead): AppError {
  return new AppError('cursor_expired', 'What followed this cursor is no longer kept.', {
    hint: 'Read the present state, then subscribe without `after`, or after the oldest cursor.',
    details: { oldest_cursor: toFeedCursor(epoch, { xid: prunedXid + 1n, id: 0n }) },
  });
}

export function isAfter(a: FeedPosition, b: FeedPosition): boolean {
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id);
}

function toPosition(xid: string, id: string): FeedPosition {
  return { xid: BigInt(xid), id: BigInt(id) };
}
