// Targets and comments that are on their way: neither public, nor failed, nor canceled.
import { sql } from 'kysely';
import type { ResultStatus } from '../../posts/posts.ts';

export const isOpen = (status: ResultStatus | null) =>
  status === 'pending' || status === 'publishing';

/** The same as an SQL condition on `post_results` or its alias. */
export const isOpenRow = (results: string) =>
  sql<boolean>`${sql.ref(`${results}.status`)} in ('pending', 'publishing')`;
