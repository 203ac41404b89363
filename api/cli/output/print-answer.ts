// The end of every command: prints its answer or its failure, as text or as JSON.
import type { Answer } from './answer.ts';
import type { Terminal } from './terminal.ts';

export interface Ending {
  exitCode: number;
  hasFailed: boolean;
}

/** `args`: the command line. */
export async function printAnswer(
  args: readonly string[],
  run: () => Promise<Partial<Answer>>,
  { print, note }: Pick<Terminal, 'print' | 'note'>,
): Promise<Ending> {
  const isJson = args.includes('--json');
  try {
    const { text, data, exitCode = 0 } = await run();
    const answer = isJson ? JSON.stringify(data) : text;
    if (answer !== undefined) print(answer);
    return { exitCode, hasFailed: false };
  } catch (error) {
    const { describeFailure } = await import('./failure.ts');
    const { text, data, isUsage } = describeFailure(error);
    note(text);
    if (isJson) print(JSON.stringify({ error: data }));
    // For a post, 2 means that it was published only partly.
    const exitCode = isUsage && !args.some((word) => ['post', 'watch'].includes(word)) ? 2 : 1;
    return { exitCode, hasFailed: true };
  }
}
