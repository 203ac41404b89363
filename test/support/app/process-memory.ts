// The resident memory of other processes. Only Linux shows it, under /proc.
import { readFileSync } from 'node:fs';

export interface MemoryWatch extends Disposable {
  /** The most memory that the process has used so far. */
  readonly peakMb: number;
}

/** The system keeps the peak, so only a peak that comes less than this before the process ends is missed. */
const readEveryMs = 20;

export const readMemoryMb = (pid: number): number => readMb(pid, 'VmRSS');

export function watchMemory(pid: number): MemoryWatch {
  let peakMb = 0;
  const read = () => (peakMb = Math.max(peakMb, readMb(pid, 'VmHWM')));
  const timer = setInterval(read, readEveryMs);
  return {
    get peakMb() {
      return read();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** 0: the process has ended. */
function readMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
