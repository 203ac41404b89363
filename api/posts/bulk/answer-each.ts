// Answers each item of a bulk request as if it were alone, in order. A repeat does nothing twice.
import type { ErrorObject } from '../../../schema/wire/error-object.ts';
import type { Names, Path } from '../../../schema/wire/names.ts';
import type { Caller, Context, Idempotency } from '../../http/context.ts';
import { toAppError, toErrorAnswer } from '../../http/errors.ts';
import { maxKeyLength } from '../../http/idempotency.ts';
import { countPosts } from '../../http/rate-limit.ts';
import { refuseAnswered, Replayed, transact, type Answer } from '../../http/transact.ts';

/** What is done for one item. */
export interface Task<T> {
  /** The item's own key, instead of one made from the request's key. */
  idempotency?: Idempotency | undefined;
  /** `names`: how messages name the fields of the item. */
  run(this: void, caller: Caller, names: Names): Promise<Answer<T>>;
}

export interface BulkAnswer {
  status: number;
  error?: ErrorObject | undefined;
}

interface BulkRequest<Item, T, Shown> {
  items: readonly Item[];
  /** Path of an item in the request. */
  pathOf(this: void, item: Item, index: number): Path;
  /** May throw, so that only this item is refused. */
  toTask(this: void, item: Item): Task<T>;
  show(this: void, answer: Answer<T>): Shown;
}

/**
 * Does the items in order, so that earlier ones count first against a limit. With a request key, each item gets
 * a key that is derived from the request key, so that a repeat does only what is left.
 */
export async function answerEach<Item, T, Shown extends BulkAnswer>(
  context: Context,
  caller: Caller,
  { items, pathOf, toTask, show }: BulkRequest<Item, T, Shown>,
  names: Names,
): Promise<Answer<(Shown | BulkAnswer)[]>> {
  await refuseAnswered(context, caller);
  countPosts(context, caller, items.length);

  async function answerOne(item: Item, index: number): Promise<Shown | BulkAnswer> {
    const toPath = (path: Path) => [...pathOf(item, index), ...path];
    let own: Idempotency | undefined;
    try {
      const task = toTask(item);
      own = task.idempotency;
      const asking = own ? { ...caller, idempotency: own } : askForItem(caller, index);
      const here: Names = { ...names, path: (path) => names.path(toPath(path)) };
      return show(await once(() => task.run(asking, here)));
    } catch (thrown) {
      const error = toAppError(context, thrown, caller.requestId);
      // The request's key was used with other items, so the whole request is refused.
      if (error.code === 'idempotency_conflict' && own === undefined) throw error;
      const { status, error: body } = toErrorAnswer(context, error.withPaths(toPath), names);
      return { status, error: body };
    }
  }

  const data: (Shown | BulkAnswer)[] = [];
  const startedAtMs = performance.now();
  for (const [index, item] of items.entries()) {
    const last = data.at(-1);
    // Every further item would also wait for a database that doesn't answer.
    const isSilent = performance.now() - startedAtMs > context.config.databaseTimeoutMs;
    if (isSilent && last?.error?.code === 'unavailable') data.push(last);
    else data.push(await answerOne(item, index));
  }
  const answer = { status: 200, data };
  // A repeat may succeed, so this answer isn't stored.
  const isUnfinished = data.some(({ error }) => error?.is_retriable);
  if (!caller.idempotency || isUnfinished) return answer;
  return transact(context, caller, () => Promise.resolve(answer));
}

/** The stored answer of an item that an earlier request has done. */
async function once<T>(run: () => Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Replayed) return error.answer as Answer<T>;
    throw error;
  }
}

/** The caller with a key that is made from the request's key and the position. */
function askForItem({ idempotency, ...caller }: Caller, index: number): Caller {
  if (!idempotency) return caller;
  // Longer than any key that a client may send, so it never equals a client's key.
  const place = `posts[${index}]`.padEnd(maxKeyLength + 1);
  return { ...caller, idempotency: { ...idempotency, key: `${place}${idempotency.key}` } };
}
