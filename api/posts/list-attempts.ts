// Lists the attempts of a target or a comment: its calls to the network, with their outcomes.
import type { PostAttemptRow } from '../../schema/database/tables.ts';
import { listPostAttempts } from '../../schema/database/posts/attempts.ts';
import { getPostRow } from '../../schema/database/posts/posts.ts';
import { notFound } from '../../schema/wire/errors.ts';
import { toCursor, type Page, type Paging } from '../../schema/wire/listing.ts';
import type { PostAttempt } from '../../schema/posts/attempts.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';
import type { Caller, Context } from '../http/context.ts';
import { attemptPrefix, emptyPage, pagesByParent } from '../http/listing.ts';

/** Newest first. */
export async function listAttempts(
  context: Pick<Context, 'db'>,
  caller: Caller,
  { id, resultId }: { id: string; resultId: string },
  paging: Paging,
): Promise<Page<PostAttempt>> {
  const { results } = await getPostRow(context.db, caller, id);
  if (!results.some((row) => row.id === resultId)) throw notFound('result', resultId);
  const pages = await listAttemptsOfResults(context, caller, [resultId], paging);
  return pages.get(resultId) ?? emptyPage(paging);
}

/** A page for each result, by its id. */
export function listAttemptsOfResults(
  { db }: Pick<Context, 'db'>,
  { projectId }: Pick<Caller, 'projectId'>,
  resultIds: string[],
  paging: Paging,
): Promise<Map<string, Page<PostAttempt>>> {
  return pagesByParent(
    'attempt',
    paging,
    async ({ limit, before }) => {
      const slice = { limit, before: numberIn(before) };
      const rows = await listPostAttempts(db, projectId, resultIds, slice);
      return rows.map((row) => ({ ...row, id: toAttemptId(row) }));
    },
    (rows) => rows.map(presentAttempt),
  );
}

export function toAttemptCursor(attempt: Pick<PostAttempt, 'number'>): string {
  return toCursor(toAttemptId(attempt));
}

function toAttemptId({ number }: Pick<PostAttempt, 'number'>): string {
  return `${attemptPrefix}${number}`;
}

function numberIn(before: string | undefined): number | undefined {
  return before === undefined ? undefined : Number(before.slice(attemptPrefix.length));
}

function presentAttempt(attempt: PostAttemptRow): PostAttempt {
  return {
    number: attempt.number,
    run: attempt.run,
    phase: attempt.phase,
    started_at: toTimestamp(attempt.started_at),
    duration_ms: attempt.duration_ms,
    outcome: attempt.outcome,
    error_code: attempt.error_code,
    error_message: attempt.error_message,
    provider_error: attempt.provider_error,
    provider_detail: attempt.provider_detail,
  };
}
