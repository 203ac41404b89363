// The story of a target or a comment: what was asked of its network, when, and what came of it.
import type { PostAttemptRow } from '../../schema/database/database.ts';
import { listPostAttempts } from '../../schema/database/post-attempts.ts';
import { getPostRow } from '../../schema/database/posts.ts';
import { notFound } from '../../schema/errors.ts';
import type { Page, Paging } from '../../schema/listing.ts';
import type { PostAttempt } from '../../schema/post-attempts.ts';
import { toTimestamp } from '../../schema/timestamp.ts';
import type { Caller, Context } from '../context.ts';
import { attemptPrefix, page } from '../listing.ts';

/** Newest first. */
export async function listAttempts(
  context: Pick<Context, 'db'>,
  { projectId }: Pick<Caller, 'projectId'>,
  { id, resultId }: { id: string; resultId: string },
  paging: Paging,
): Promise<Page<PostAttempt>> {
  const { results } = await getPostRow(context.db, projectId, id);
  if (!results.some((row) => row.id === resultId)) throw notFound('result', resultId);
  return pageAttempts(context, resultId, paging);
}

/** Of a result that was found for its project already. */
export function pageAttempts(
  { db }: Pick<Context, 'db'>,
  resultId: string,
  paging: Paging,
): Promise<Page<PostAttempt>> {
  return page(
    'attempt',
    paging,
    async ({ limit, before }) => {
      const rows = await listPostAttempts(db, resultId, { limit, before: numberIn(before) });
      return rows.map((row) => ({ ...row, id: `${attemptPrefix}${row.number}` }));
    },
    (rows) => rows.map(presentAttempt),
  );
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
  };
}
