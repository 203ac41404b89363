// Groups writes of one kind: items that arrive during a write are written together by the next one.

interface Waiter<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Writes the items at once. Returns one result for each. */
export type WriteAll<Item, Result> = (items: Item[]) => Promise<Result[]>;

const deadlockDetected = '40P01';
/** Classes of Postgres' error codes that one item of a group may cause: bad data and constraints. */
const faultsOfItems = /^(22|23)/;
const maxTries = 3;

/**
 * Returns a function that writes one item, and resolves once it is committed. If Postgres refuses a group, its
 * items are written one by one, so one bad item fails alone. A deadlock rolls the whole group back, so the group
 * is written again.
 */
export function createBatched<Item, Result>(
  writeAll: WriteAll<Item, Result>,
  { maxItems }: { maxItems: number },
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
      else if (group.length > 1 && faultsOfItems.test(code)) {
        for (const waiter of group) await write([waiter]);
      } else group.forEach(({ reject }) => reject(error));
    }
  }

  async function drain(): Promise<void> {
    isWriting = true;
    // Items that arrive in the same iteration of the event loop share a write.
    await new Promise(setImmediate);
    while (queue.length > 0) {
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
