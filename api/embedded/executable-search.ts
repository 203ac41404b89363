// Looks for a program in several places in order, and runs programs.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface SearchStep {
  /** Name of the place for progress lines, such as `the official download`. */
  place: string;
  /** Returns the path of a program that works. Otherwise throws the reason. */
  find: () => Promise<string>;
}

export async function searchExecutable(
  program: string,
  steps: readonly SearchStep[],
  progress: (line: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const tried: string[] = [];
  for (const [index, step] of steps.entries()) {
    signal?.throwIfAborted();
    try {
      const found = await step.find();
      progress(`${program}: ${found} (${step.place})`);
      return found;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = firstLine(error);
      const next = steps[index + 1];
      const trying = next ? ` Trying ${next.place}.` : '';
      progress(`${program} is not available from ${step.place} (${reason}).${trying}`);
      tried.push(`- ${step.place}: ${reason}`);
    }
  }
  throw new Error(`${program} was not found. Tried:\n${tried.join('\n')}`);
}

/** Returns the program's output. Throws its error output if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, [...args], {
      timeout: options.timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return stdout;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException & { stderr?: string; killed?: boolean };
    if (failure.code === 'ENOENT') throw new Error(`${program} was not found`, { cause: error });
    if (failure.killed) {
      throw new Error(`timed out after ${options.timeoutMs / 1000} s`, { cause: error });
    }
    const lines = failure.stderr?.trim().split('\n') ?? [];
    const said = lines.findLast((line) => /error|no module/i.test(line)) ?? lines.at(-1);
    throw new Error(said || failure.message, { cause: error });
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').slice(0, 300);
}
