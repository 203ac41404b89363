// The position of a post in each order, as the text of a cursor: the order, the time and the ID, or in the
// order of creation only the ID.
import { columnOf, type PostPosition } from '../../../schema/database/posts/listing/pages.ts';
import type { PostOrder } from '../../../schema/posts/listing.ts';
import { fromCursor } from '../../../schema/wire/listing.ts';
import { foreignCursor } from '../../http/listing.ts';

/** A post as a row or on the wire. */
interface Placed {
  id: string;
  scheduled_at: Date | string | null;
  published_at: Date | string | null;
}

export function toPostPosition(order: PostOrder, post: Placed): string {
  const column = columnOf[order];
  if (column === null) return post.id;
  const time = post[column];
  return `${order}:${time === null ? '' : new Date(time).getTime()}:${post.id}`;
}

/** Throws for a cursor of another list or another order. */
export function readPostPosition(order: PostOrder, cursor: string): PostPosition {
  const parts = fromCursor(cursor).split(':');
  const [id, time, ofOrder = '-created_at'] = parts.toReversed() as [string, string?, string?];
  if (!id.startsWith('post_') || !Object.hasOwn(columnOf, ofOrder)) throw foreignCursor();
  if (ofOrder !== order) throw foreignCursor('must be a cursor from a list in the same order');
  return { id, time: time ? new Date(Number(time)) : null };
}
