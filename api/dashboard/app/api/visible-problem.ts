// Which problem a page shows.
import { connection } from './connection.ts';
import type { Problem } from './problem.ts';

/** While the server is gone, a banner says so, and the page catches up by itself. */
export function visibleProblem(problem: Problem | undefined): Problem | undefined {
  return problem?.code === 'unreachable' && connection.isLost() ? undefined : problem;
}
