// What is said of an event or delivery that is not there: that it was never, or is no longer, kept.
import { countOf } from '../../schema/wire/count-of.ts';
import { AppError, notFound } from '../../schema/wire/errors.ts';
import { timeOfId } from '../../schema/wire/ids.ts';
import type { Context } from '../server/context.ts';

const dayMs = 86_400_000;

/** The 404. An id that is older than the retention says why it is not there. */
export function notKept(
  { config }: Pick<Context, 'config'>,
  kind: 'event' | 'delivery',
  id: string,
): AppError {
  const { recordsMs } = config.retention;
  const madeAt = timeOfId(kind, id);
  const error = notFound(kind, id);
  if (!madeAt || madeAt.getTime() >= Date.now() - recordsMs) return error;
  const days = recordsMs / dayMs;
  return new AppError(error.code, error.message, {
    hint: `Events and deliveries are kept for ${countOf(days, 'day')}.`,
  });
}
