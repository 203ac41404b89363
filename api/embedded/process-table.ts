// Finds running processes by their working directory, to stop servers that an earlier program left.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Signals that stop a server, each with the time before the next one. */
export type StopPlan = readonly (readonly [signal: NodeJS.Signals, waitMs: number])[];

/** Sends the signals until no process is left. Throws if one stays. */
export async function stopProcesses(find: () => number[], plan: StopPlan): Promise<void> {
  for (const [signal, waitMs] of plan) {
    for (const pid of find()) sendSignal(pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (find().length === 0) return;
      await sleep(25);
    }
  }
  const left = find();
  if (left.length > 0) throw new Error(`Process ${left.join(', ')} doesn't end. Stop it first.`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new Error(`Process ${pid} belongs to another user. Stop it first.`, { cause: error });
  }
}

/** The pids of processes in this folder whose command matches. A zombie counts as ended. */
export function findProcessesIn(directory: string, command: RegExp): number[] {
  if (process.platform !== 'linux') return findByPs(directory, command);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === process.pid) return false;
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) !== directory) return false;
        return command.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        return false;
      }
    });
}

function findByPs(directory: string, command: RegExp): number[] {
  const pids = read('ps', ['-axww', '-o', 'pid=,command='])
    .filter((line) => command.test(line.trim().replace(/^\d+ /, '')))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid !== process.pid);
  if (pids.length === 0) return [];
  // The output has lines for each process, such as `p57`, then `fcwd`, then `n` with the path.
  const lines = read('lsof', ['-a', '-d', 'cwd', '-Fpn', '-p', pids.join()]);
  return pids.filter((pid) => {
    const start = lines.indexOf(`p${pid}`) + 1;
    return start > 0 && lines.slice(start, start + 2).includes(`n${directory}`);
  });
}

/**
 * The lines of the program's output, even if the program fails. `lsof` fails if one of the processes has
 * ended.
 */
function read(program: string, args: string[]): string[] {
  return String(spawnSync(program, args, { maxBuffer: 16 * 1024 * 1024 }).stdout).split('\n');
}
