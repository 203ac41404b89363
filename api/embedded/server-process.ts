// Runs a server as a detached process, with a log and a record on disk, and stops orphans.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { readSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectProcess, isAlive } from './process-table.ts';

/** Signals that stop a server, each with the time before the next one. */
export type StopPlan = readonly (readonly [signal: NodeJS.Signals, waitMs: number])[];

export interface ServerCommand {
  /** `postgres` or `temporal`. Names the log and the record. */
  name: string;
  dataDirectory: string;
  executable: string;
  args: readonly string[];
  /** On Linux, it proves that a process is our server. */
  workingDirectory: string;
  ports: Record<string, number>;
  env: Record<string, string>;
  user?: { uid: number; gid: number } | undefined;
  stopPlan: StopPlan;
}

export interface ServerProcess {
  readonly pid: number;
  /** How it ended; undefined while it runs. */
  readonly ended: string | undefined;
  onEnd(callback: (detail: string) => void): void;
  /** The last 64 KiB that this process has written. */
  output(): string;
  stop(): Promise<void>;
}

interface ServerRecord {
  pid: number;
  startedAt: string;
  executable: string;
  workingDirectory: string;
  ports: Record<string, number>;
}

const longestLogBytes = 20 * 1024 * 1024;

export function spawnServer(command: ServerCommand): ServerProcess {
  const logPath = path.join(command.dataDirectory, `${command.name}.log`);
  if ((statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) > longestLogBytes) {
    renameSync(logPath, `${logPath}.1`);
  }
  const log = openSync(logPath, 'a', 0o600);
  const logStart = statSync(logPath).size;
  // Files of the server are readable only by its own user.
  const child = spawn(
    '/bin/sh',
    ['-c', 'umask 077; exec "$0" "$@"', command.executable, ...command.args],
    {
      cwd: command.workingDirectory,
      detached: true,
      env: command.env,
      stdio: ['ignore', log, log],
      ...command.user,
    },
  );
  closeSync(log);
  let ended: string | undefined;
  const callbacks: ((detail: string) => void)[] = [];
  // If the program ends without stopping its servers, they get the first signal.
  const endWithProgram = (): void => void child.kill(command.stopPlan[0]?.[0]);
  process.once('exit', endWithProgram);
  const end = (detail: string): void => {
    if (ended !== undefined) return;
    ended = detail;
    process.off('exit', endWithProgram);
    for (const callback of callbacks) callback(detail);
  };
  child.once('error', (error) => end(`could not start: ${error.message}`));
  child.once('exit', (code, signal) =>
    end(signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`),
  );
  child.unref();
  const pid = child.pid ?? 0;
  if (pid !== 0) writeRecord(command, pid);
  return {
    pid,
    get ended() {
      return ended;
    },
    onEnd(callback) {
      if (ended === undefined) callbacks.push(callback);
      else callback(ended);
    },
    output: () => readFrom(logPath, logStart),
    async stop() {
      child.ref();
      for (const [signal, waitMs] of command.stopPlan) {
        if (ended !== undefined) break;
        child.kill(signal);
        await Promise.race([once(child, 'exit'), sleep(waitMs, undefined, { ref: false })]);
      }
    },
  };
}

/** The ports of the last start, to use them again. */
export function readLastPorts(dataDirectory: string, name: string): Record<string, number> {
  return readRecord(dataDirectory, name)?.ports ?? {};
}

/** Stops the server that an earlier program left running on this data directory. */
export async function stopOrphan(
  dataDirectory: string,
  name: string,
  stopPlan: StopPlan,
  progress: (line: string) => void,
): Promise<void> {
  const record = readRecord(dataDirectory, name);
  if (record === undefined || !isOurs(record)) return;
  progress(`Stopping ${name} (process ${record.pid}), left running by an earlier start.`);
  await stopByPid(record.pid, name, stopPlan);
}

/** Stops a process that isn't our child. */
export async function stopByPid(pid: number, name: string, stopPlan: StopPlan): Promise<void> {
  for (const [signal, waitMs] of stopPlan) {
    try {
      process.kill(pid, signal);
    } catch {
      if (!isAlive(pid)) return;
      throw new Error(
        `${name} (process ${pid}) was left running by an earlier start and belongs to another user. Stop it first.`,
      );
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (!isAlive(pid)) return;
      await sleep(25);
    }
  }
  if (isAlive(pid)) throw new Error(`${name} (process ${pid}) doesn't end. Stop it first.`);
}

function isOurs(record: ServerRecord): boolean {
  const found = inspectProcess(record.pid);
  if (found === undefined || found.startedAt !== record.startedAt) return false;
  // A copied data directory has the record of the server that runs on the original.
  if (found.directory !== undefined) return found.directory === record.workingDirectory;
  return found.command.includes(record.executable);
}

function writeRecord(command: ServerCommand, pid: number): void {
  const record: ServerRecord = {
    pid,
    startedAt: inspectProcess(pid)?.startedAt ?? '',
    executable: command.executable,
    workingDirectory: realpathSync(command.workingDirectory),
    ports: command.ports,
  };
  const file = recordPath(command.dataDirectory, command.name);
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function readRecord(dataDirectory: string, name: string): ServerRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordPath(dataDirectory, name), 'utf8')) as ServerRecord;
  } catch {
    return undefined;
  }
}

function recordPath(dataDirectory: string, name: string): string {
  return path.join(dataDirectory, `${name}.json`);
}

function readFrom(file: string, start: number): string {
  const length = Math.min(statSync(file).size - start, 64 * 1024);
  if (length <= 0) return '';
  const buffer = Buffer.alloc(length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, buffer, 0, length, statSync(file).size - length);
  } finally {
    closeSync(descriptor);
  }
  return buffer.toString('utf8');
}
