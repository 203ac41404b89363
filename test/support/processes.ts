// Reads the processes of the machine, to see whether a process still runs.
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  /** Distinguishes processes that have the same pid one after the other. */
  startedAt: string;
  /** Working directory. Linux only. */
  directory: string | undefined;
  command: string;
}

const hasProcFileSystem = process.platform === 'linux';

/** Undefined if the process has ended. A zombie counts as ended. */
export function inspectProcess(pid: number): ProcessIdentity | undefined {
  return hasProcFileSystem ? inspectByProc(pid) : inspectByPs(pid);
}

export function isAlive(pid: number): boolean {
  return inspectProcess(pid) !== undefined;
}

function inspectByProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain parentheses and spaces. The fields start after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { startedAt: fields[19] ?? '', directory: readLink(`/proc/${pid}/cwd`), command };
  } catch {
    return undefined;
  }
}

function inspectByPs(pid: number): ProcessIdentity | undefined {
  try {
    const output = execFileSync('ps', ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // stat, then the five words of lstart ("Sat Nov 21 05:38:16 2026"), then the command.
    const words = output.trim().split(/\s+/);
    if (words.length < 7 || words[0]?.startsWith('Z')) return undefined;
    return {
      startedAt: words.slice(1, 6).join(' '),
      directory: undefined,
      command: words.slice(6).join(' '),
    };
  } catch {
    return undefined;
  }
}

function readLink(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
