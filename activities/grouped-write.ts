// Groups writes of one kind. Items that arrive during a write share the next one.
import { toRounds } from './rounds.ts';

interface Waiter<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Writes the items together. Returns one result for each. */
export type WriteAll<Item, Result> = (items: Item[]) => Promise<Result[]>;

interface GroupOptions<Item> {
  maxItems: number;
  /** Whose item it is. Owners take turns, so many items of one delay those of no other. Default: all have one owner. */
  ownerOf?: (item: Item) => string;
}

const deadlockDetected = '40P01';
const maxTries = 3;

/**
 * Returns a function that writes an item, and resolves once it is committed. If a group fails, each of its items
 * is written once more, alone: then a bad item or a lost connection fails none of the others. So a write must
 * be safe to repeat. A deadlock rolls the whole group back, so the group is written again.
 */
export function createGroupedWrite<Item, Result>(
  writeAll: WriteAll<Item, Result>,
  { maxItems, ownerOf }: GroupOptions<Item>,
): (item: Item) => Promise<Result> {
  let queue: Waiter<Item, Result>[] = [];
  let isWriting = false;

  async function write(group: Waiter<Item, Result>[], tries = 1): Promise<void> {
    try {
      const results = await writeAll(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(results[i]!));
    } catch (error) {
      const code = String((error as { code?: unknown }).code);
      if (code === deadlockDetected && tries < maxTries) await write(group, tries + 1);
      else if (group.length > 1) await Promise.all(group.map((waiter) => write([waiter])));
      else group[0]!.reject(error);
    }
  }

  async function drain(): Promise<void> {
    isWriting = true;
    // Items that arrive in the same iteration of the event loop share a write.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      if (ownerOf) queue = toRounds(queue, ({ item }) => ownerOf(item)).flat();
      const group = queue.slice(0, maxItems);
      queue = queue.slice(maxItems);
      await write(group);
    }
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isWriting) void drain();
    });
}
