// The latest changes of the feed in memory, so that a subscriber joins it without a gap or a wait.
import type { ChangeFilter, FeedPosition } from '../../schema/database/live/changes.ts';
import type { ChangeRow } from '../../schema/database/tables.ts';
import { isAfter } from './cursor.ts';

export interface FeedItem {
  readonly cursor: string;
  /** Null: nothing has happened, only the cursor is newer. */
  readonly change: ChangeRow | null;
}

export interface PlacedItem extends FeedItem {
  readonly position: FeedPosition;
}

export interface PlacedChange extends PlacedItem {
  readonly change: ChangeRow;
}

const maxItems = 5_000;

export class Recent {
  /** Every change after this place and up to the reader's is here. */
  from: FeedPosition;
  #items: PlacedChange[] = [];

  constructor(from: FeedPosition) {
    this.from = from;
  }

  add(items: PlacedChange[]): void {
    this.#items.push(...items);
    if (this.#items.length <= maxItems) return;
    const dropped = this.#items.splice(0, this.#items.length - maxItems / 2);
    this.from = dropped.at(-1)!.position;
  }

  clear(from: FeedPosition): void {
    this.#items = [];
    this.from = from;
  }

  after(position: FeedPosition, filter: ChangeFilter, limit: number): PlacedChange[] {
    const found: PlacedChange[] = [];
    for (let i = this.#indexAfter(position); i < this.#items.length && found.length < limit; i++) {
      if (passes(this.#items[i]!.change, filter)) found.push(this.#items[i]!);
    }
    return found;
  }

  #indexAfter(position: FeedPosition): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isAfter(this.#items[middle]!.position, position)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function passes(change: ChangeRow, { projectId, subject, subjectId }: ChangeFilter): boolean {
  return (
    change.project_id === projectId &&
    change.subject === subject &&
    (subjectId === undefined || change.subject_id === subjectId)
  );
}
