// A server that a test starts as a program. The program prints one line of JSON, and lives until its input
// closes.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ServerProgram {
  /** The error contains this title if the server doesn't start. */
  title: string;
  executable: string;
  parameters: readonly string[];
  env: NodeJS.ProcessEnv;
  startTimeoutMs: number;
}

export interface ServerProcess {
  /** The line that the server printed. */
  readonly line: unknown;
  stop(): Promise<void>;
}

const stopTimeoutMs = 5_000;

export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const { executable, parameters, env } = program;
  const child = spawn(executable, parameters, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = () => end(child);
  try {
    return { line: await readLine(child, program), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readLine(
  child: ChildProcess,
  { title, startTimeoutMs }: ServerProgram,
): Promise<unknown> {
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      if (line.startsWith('{')) return JSON.parse(line) as unknown;
    }
  } finally {
    clearTimeout(timer);
    child.stdout!.resume();
  }
  throw new Error(`${title} ended before it answered:\n${errors}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.stdin!.end();
  await ended;
  clearTimeout(timer);
}
