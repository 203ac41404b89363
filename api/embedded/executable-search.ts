// Looks for a program in several places, one after the other, and can name all that it tried.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface SearchStep {
  /** Said while it is tried: `the official download`. */
  place: string;
  /** The path of a program that works. Throws where there is none, with the reason. */
  find: () => Promise<string>;
}

export async function searchExecutable(
  program: string,
  steps: readonly SearchStep[],
  progress: (line: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  const tried: string[] = [];
  for (const step of steps) {
    signal?.throwIfAborted();
    try {
      const found = await step.find();
      progress(`${program}: ${found} (${step.place})`);
      return found;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = firstLine(error);
      progress(`${program}: ${step.place}: ${reason}`);
      tried.push(`- ${step.place}: ${reason}`);
    }
  }
  throw new Error(`${program} was not found. Tried:\n${tried.join('\n')}`);
}

/** What a program prints. Fails with what it says on stderr. */
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
    if (failure.code === 'ENOENT') throw new Error(`there is no ${program}`, { cause: error });
    if (failure.killed) {
      throw new Error(`not done after ${options.timeoutMs / 1000} s`, { cause: error });
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
