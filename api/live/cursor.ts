// Cursors of the live feed: a place in it and the life of the database that the place belongs to.
import { lastId, type FeedHead, type FeedPosition } from '../../schema/database/live/changes.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { formatSnapshot, isSnapshot, parseSnapshot, type Snapshot } from './snapshot.ts';

/** A place, and what its reader has of the changes behind it: those that a present state had. */
export interface FeedPlace {
  readonly position: FeedPosition;
  readonly seen?: Snapshot | undefined;
}

const form = /^(\w{1,64})\.(\d{1,20})\.(\d{1,19})(?:\.(\d{1,20}:\d{1,20}:[\d,]{0,20000}))?$/;

export function toFeedCursor(epoch: string, { position, seen }: FeedPlace): string {
  const { xid, id } = position;
  // Behind its end a snapshot has seen nothing, so a stream that is past it needs it no more.
  const rest = seen && xid < seen.end ? `.${formatSnapshot(seen)}` : '';
  return Buffer.from(`${epoch}.${xid}.${id}${rest}`).toString('base64url');
}

/** Undefined: the cursor is from a future that this head doesn't know. Throws where it is too old. */
export function readFeedCursor(cursor: string, head: FeedHead): FeedPlace | undefined {
  const { epoch, place } = parse(cursor);
  const { xid } = place.position;
  if (epoch !== head.epoch || isPruned(place.position, head)) throw cursorExpired(head);
  return xid > head.horizon || (place.seen && place.seen.end > head.next) ? undefined : place;
}

function parse(cursor: string): { epoch: string; place: FeedPlace } {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, epoch, xid, id, snapshot] = form.exec(text) ?? [];
  if (epoch === undefined || BigInt(id!) > lastId) throw invalidCursor();
  const position = { xid: BigInt(xid!), id: BigInt(id!) };
  const seen = snapshot === undefined ? undefined : parseSnapshot(snapshot);
  if (seen && (!isSnapshot(seen) || position.xid < seen.begin)) throw invalidCursor();
  const place = { position, seen };
  if (toFeedCursor(epoch, place) !== cursor) throw invalidCursor();
  return { epoch, place };
}

export function invalidCursor(): AppError {
  const message = 'is not a cursor that a subscription gave';
  return validationError([{ path: 'after', code: 'invalid_cursor', message }]);
}

export function cursorExpired({ epoch, prunedXid }: FeedHead): AppError {
  const oldest = { position: { xid: prunedXid, id: lastId } };
  return new AppError('cursor_expired', 'What followed this cursor is no longer kept.', {
    hint: 'Read the present state, then subscribe without `after`, or after the oldest cursor.',
    details: { oldest_cursor: toFeedCursor(epoch, oldest) },
  });
}

/** Whether something behind it is no longer kept. */
export function isPruned({ xid, id }: FeedPosition, { prunedXid }: FeedHead): boolean {
  return xid < prunedXid || (xid === prunedXid && id < lastId);
}

export function isAfter(a: FeedPosition, b: FeedPosition): boolean {
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id);
}
