// The latest changes of the feed in memory, so that a stream joins without a gap or a query.
import type { ChangeFilter, FeedPosition } from '../../schema/database/live/changes.ts';
import type { ChangeRow } from '../../schema/database/tables.ts';
import { isAfter } from './cursor.ts';

export interface FeedItem {
  readonly cursor: string;
  /** Null in a bookmark, which only brings a newer cursor. */
  readonly change: ChangeRow | null;
}

export interface PlacedItem extends FeedItem {
  readonly position: FeedPosition;
}

export interface PlacedChange extends PlacedItem {
  readonly change: ChangeRow;
}

const maxItems = 5_000;

export function createRecentChanges(start: FeedPosition) {
  let from = start;
  let items: PlacedChange[] = [];

  function indexAfter(position: FeedPosition): number {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isAfter(items[middle]!.position, position)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    /** Every change between this position and the reader's position is here. */
    from: () => from,

    add(added: PlacedChange[]): void {
      items.push(...added);
      if (items.length <= maxItems) return;
      const dropped = items.splice(0, items.length - maxItems / 2);
      from = dropped.at(-1)!.position;
    },

    clear(position: FeedPosition): void {
      items = [];
      from = position;
    },

    after(position: FeedPosition, filter: ChangeFilter, limit: number): PlacedChange[] {
      const found: PlacedChange[] = [];
      for (let i = indexAfter(position); i < items.length && found.length < limit; i++) {
        if (passes(items[i]!.change, filter)) found.push(items[i]!);
      }
      return found;
    },
  };
}

function passes(change: ChangeRow, { projectId, subject, subjectId }: ChangeFilter): boolean {
  return (
    change.project_id === projectId &&
    change.subject === subject &&
    (subjectId === undefined || change.subject_id === subjectId)
  );
}
