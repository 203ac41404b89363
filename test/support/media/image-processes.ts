// The processes that another process has started to read images, and the memory that they use. Linux only.
import { readdirSync, readFileSync } from 'node:fs';

/** The pids of the children of this process, or of the given process. */
export function listImageProcesses(parent = process.pid): string[] {
  const isChild = new RegExp(`\\) [A-Z] ${parent} `);
  return readdirSync('/proc').filter((pid) => {
    try {
      const isOurs = isChild.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('images/child.ts');
    } catch {
      return false;
    }
  });
}

/** Resident memory of these processes that they don't share with other processes. */
export function ownMemory(pids: string[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return sum + Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
    } catch {
      return sum;
    }
  }, 0);
}
