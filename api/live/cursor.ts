// Cursors of the live feed: a position, the epoch of its database, and the snapshot of a state read there.
import { lastId, type FeedHead, type FeedPosition } from '../../schema/database/live/changes.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';

/** Which transactions a state includes, so that a stream doesn't repeat their changes. */
export interface Snapshot {
  /** Every transaction with a lower ID had ended. */
  readonly begin: bigint;
  /** Every transaction with this ID or a higher one began later. */
  readonly end: bigint;
  /** Transactions from `begin` to `end` that had not ended. */
  readonly running: ReadonlySet<bigint>;
}

/** A position, and the snapshot that already includes some of the changes after it. */
export interface FeedPlace {
  readonly position: FeedPosition;
  readonly seen?: Snapshot | undefined;
}

const form = /^(\w{1,64})\.(\d{1,20})\.(\d{1,19})(?:\.(\d{1,20}:\d{1,20}:[\d,]{0,20000}))?$/;

export function toFeedCursor(epoch: string, { position, seen }: FeedPlace): string {
  const { xid, id } = position;
  // A snapshot includes no change after its end, so a stream that is past the end doesn't need the snapshot.
  const rest = seen && xid < seen.end ? `.${formatSnapshot(seen)}` : '';
  return Buffer.from(`${epoch}.${xid}.${id}${rest}`).toString('base64url');
}

/** Undefined: the cursor is newer than this head. Throws if it is too old. */
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

function invalidCursor(): AppError {
  const message = 'must be a cursor from a subscription';
  return validationError([{ path: ['after'], code: 'invalid_cursor', message }]);
}

export function cursorExpired({ epoch, prunedXid }: FeedHead): AppError {
  const oldest = { position: { xid: prunedXid, id: lastId } };
  return new AppError('cursor_expired', 'The changes behind this cursor are no longer stored.', {
    hint: 'Read the current state, then subscribe without `after`. Or pass the oldest cursor.',
    details: { oldest_cursor: toFeedCursor(epoch, oldest) },
  });
}

/** Whether changes after the position have been pruned. */
export function isPruned({ xid, id }: FeedPosition, { prunedXid }: FeedHead): boolean {
  return xid < prunedXid || (xid === prunedXid && id < lastId);
}

export function isAfter(a: FeedPosition, b: FeedPosition): boolean {
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id);
}

/** Parses the text form of Postgres: `begin:end:running,running`. */
export function parseSnapshot(text: string): Snapshot {
  const [begin = '', end = '', running = ''] = text.split(':');
  return {
    begin: BigInt(begin),
    end: BigInt(end),
    running: new Set(running === '' ? [] : running.split(',').map(BigInt)),
  };
}

function formatSnapshot({ begin, end, running }: Snapshot): string {
  return `${begin}:${end}:${[...running].join(',')}`;
}

/** Whether the snapshot could be from Postgres. */
function isSnapshot({ begin, end, running }: Snapshot): boolean {
  return (
    begin <= end &&
    running.size <= maxRunning &&
    [...running].every((xid) => xid >= begin && xid < end)
  );
}

/** More transactions than a server has connections can't run at once. */
const maxRunning = 1_000;

export function hasSeen({ end, running }: Snapshot, xid: bigint): boolean {
  return xid < end && !running.has(xid);
}
