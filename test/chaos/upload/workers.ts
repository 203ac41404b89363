// Two worker processes of one target, of which each that is killed is replaced, and the memory of each.
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface WorkerInput {
  databaseUrl: string;
  networkUrl: string;
  resultId: string;
  /** A network with a name is its simulator. The other two are networks that only tests have. */
  network:
    | { file: string; chunkBytes: number }
    | { file: string; name: 'youtube' | 'tiktok' }
    | { pollMs: number };
}

/** Names the process to the network. */
export const pidHeader = 'x-worker-pid';

export interface Workers {
  /** Kills the process at once, and starts another one. */
  replace(pid: number): void;
  /** Resolves when the target has ended and no process runs. Rejects if one ends with an error. */
  readonly end: Promise<void>;
  /** Of each process that ever ran. */
  readonly memory: readonly Memory[];
  stop(): void;
}

export interface Memory {
  pid: number;
  /** Before it advances the target. */
  idleKb: number;
  peakKb: number;
}

const program = fileURLToPath(new URL('worker.ts', import.meta.url));
const sampleEveryMs = 100;

export function startWorkers(input: WorkerInput): Workers {
  const running = new Map<number, ChildProcess>();
  const memory: Memory[] = [];
  const { promise: end, resolve, reject } = Promise.withResolvers<void>();
  // The run may stop before anybody waits for the end.
  end.catch(() => undefined);

  function start(): void {
    // As `npm start` does.
    const execArgv = ['--max-semi-space-size=8'];
    const child = fork(program, [JSON.stringify(input)], { execArgv });
    const pid = child.pid!;
    running.set(pid, child);
    let timer: NodeJS.Timeout | undefined;
    child.once('message', () => {
      const idleKb = readMemoryKb(pid);
      const own = { pid, idleKb, peakKb: idleKb };
      memory.push(own);
      timer = setInterval(() => {
        own.peakKb = Math.max(own.peakKb, readMemoryKb(pid));
      }, sampleEveryMs);
      child.send('go');
    });
    child.once('exit', (code) => {
      clearInterval(timer);
      running.delete(pid);
      if (code) reject(new Error(`A worker ended with ${code}.`));
      if (running.size === 0) resolve();
    });
  }

  start();
  start();
  return {
    end,
    memory,
    replace(pid) {
      running.get(pid)?.kill('SIGKILL');
      start();
    },
    stop() {
      for (const child of running.values()) child.kill('SIGKILL');
    },
  };
}

/** 0: the process is gone, or the system has no /proc. */
function readMemoryKb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
