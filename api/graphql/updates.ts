// The messages of one stream, read ahead in order, until the client, the key or the feed ends it.
import type { AppError } from '../../schema/wire/errors.ts';
import { accessEnded } from '../http/auth/sessions.ts';
import type { Caller } from '../http/context.ts';
import { toAppError } from '../http/errors.ts';
import type { FeedStream } from '../live/subscriber.ts';
import type { GraphqlContext } from './context.ts';
import type { FindSubjects, Message } from './messages.ts';

/** The last item of a broken stream is its failure, with the cursor to resume from. */
export type Update<T> = Message<T> | { failure: AppError };

interface UpdateOptions<T> {
  find: FindSubjects<T>;
  /** Whether the stream shows this subject. A stream with a filter leaves out deleted subjects. */
  isWanted?: ((subject: T) => boolean) | undefined;
}

/** How many changes are read ahead of the client, so that one query reads their subjects. */
const readAhead = 16;

/** `unwanted`: the cursor of a message that the stream leaves out. */
type Step<T> = Message<T> | { unwanted: string } | { failure: unknown } | 'end';

export function readUpdates<T extends { id: string }>(
  { app, keyWatch, messages, requestId }: GraphqlContext,
  caller: Caller,
  stream: FeedStream,
  { find, isWanted }: UpdateOptions<T>,
  first?: Message<T>,
): AsyncIterableIterator<Update<T>, undefined, undefined> {
  const steps: Promise<Step<T>>[] = first ? [Promise.resolve(first)] : [];
  /** The cursor of the last message that the client has, or that the stream has left out. */
  let cursor = stream.startCursor;
  let hasEnded = false;
  let refusal: AppError | undefined;
  const stopWatching = keyWatch.watch(caller, () => {
    // The stream drops everything that is queued or was read ahead.
    const error = accessEnded(caller);
    refusal = error;
    stream.fail(error);
  });

  function isShown({ subject }: Message<T>, deletedFrom: string | null | undefined): boolean {
    if (subject) return !isWanted || isWanted(subject);
    // Only the change of a deletion records an environment. So a test key sees a missing subject only if it
    // was deleted in the test environment.
    return !isWanted && (caller.environment === 'production' || deletedFrom === 'test');
  }

  /** Never rejects, because nobody may be waiting for the promise yet. */
  async function readStep(): Promise<Step<T>> {
    try {
      const { done, value: item } = await stream.next();
      if (done) return 'end';
      const message = await messages.read(item, caller.environment, find);
      const { change } = item;
      return !change || isShown(message, change.environment)
        ? message
        : { unwanted: message.cursor };
    } catch (failure) {
      return { failure };
    }
  }

  function end(): Promise<IteratorResult<Update<T>, undefined>> {
    if (!hasEnded) {
      hasEnded = true;
      stopWatching();
      void stream.return();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  return {
    async next() {
      while (!hasEnded) {
        while (steps.length < readAhead) steps.push(readStep());
        const next = await steps.shift()!;
        const step: Step<T> = refusal ? { failure: refusal } : next;
        if (step === 'end') break;
        if ('failure' in step) {
          void end();
          const failure = toAppError(app, step.failure, requestId);
          return { done: false, value: { failure: toResumable(failure, cursor) } };
        }
        if ('unwanted' in step) {
          cursor = step.unwanted;
          continue;
        }
        cursor = step.cursor;
        return { done: false, value: step };
      }
      return end();
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Adds the cursor to resume from. A stream can't resume from an expired cursor, so that error keeps the
 * oldest cursor, which it already names.
 */
function toResumable(failure: AppError, cursor: string): AppError {
  return failure.code === 'cursor_expired' ? failure : failure.withDetails({ cursor });
}
