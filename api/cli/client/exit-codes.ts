// The exit codes of commands that publish or follow a post. 1: the command was refused.

export const exitCodes = { published: 0, partial: 2, failed: 3, unknown: 4 } as const;

interface Outcome {
  status: string;
  results: { status: string; error_code: string | null }[];
}

/** A draft, a scheduled and a canceled post are as they should be. */
export function exitCodeOf({ status, results }: Outcome): number {
  if (results.some(({ error_code }) => error_code === 'outcome_unknown')) return exitCodes.unknown;
  if (status === 'partial') return exitCodes.partial;
  if (status === 'failed') return exitCodes.failed;
  const known = ['draft', 'scheduled', 'published', 'canceled'];
  return known.includes(status) ? exitCodes.published : exitCodes.unknown;
}
