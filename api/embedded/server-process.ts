// Runs a server as a detached process, with a log and a record on disk.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../server/ports.ts';
import { findProcessesIn, stopProcesses, type StopPlan } from './process-table.ts';

type Ports = Record<string, number>;

interface ServerCommand {
  /** `Postgres` or `Temporal`. In lower case, it names the log and the record. */
  name: string;
  dataDirectory: string;
  executable: string;
  args: readonly string[];
  /** Where a later start finds a server that was left running. */
  workingDirectory: string;
  ports: Ports;
  env: Record<string, string>;
  user?: { uid: number; gid: number } | undefined;
  stopPlan: StopPlan;
}

export interface ServerProcess {
  readonly pid: number;
  readonly ports: Ports;
  /** How the server ended; undefined while it runs. */
  readonly ended: string | undefined;
  /** Called when the server ends by itself, with its last lines. */
  onExit(callback: (reason: string) => void): void;
  /** The last 64 KiB that this process has written. */
  output(): string;
  stop(): Promise<void>;
}

const longestLogBytes = 20 * 1024 * 1024;
const longestOutputBytes = 64 * 1024;

export function spawnServer(command: ServerCommand): ServerProcess {
  const { name, dataDirectory, ports } = command;
  const logPath = fileOf(dataDirectory, name, 'log');
  if ((statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) > longestLogBytes) {
    renameSync(logPath, `${logPath}.1`);
  }
  const log = openSync(logPath, 'a+', 0o600);
  const logStart = fstatSync(log).size;
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
  child.unref();
  const pid = child.pid ?? 0;
  let ended: string | undefined;
  let lastOutput: string | undefined;
  let isStopping = false;
  const callbacks: ((reason: string) => void)[] = [];

  // If the program ends without stopping its servers, they get the first signal.
  const endWithProgram = (): void => void child.kill(command.stopPlan[0]?.[0]);
  process.once('exit', endWithProgram);
  const end = (how: string): void => {
    if (ended !== undefined) return;
    lastOutput = readOutput(log, logStart);
    closeSync(log);
    const lastLines = lastOutput.trim().split('\n').slice(-6).join('\n');
    ended = `${name} ${how}.\n${lastLines}`;
    process.off('exit', endWithProgram);
    if (!isStopping) for (const callback of callbacks) callback(ended);
  };
  child.once('error', (error) => end(`could not start: ${error.message}`));
  child.once('exit', (code, signal) =>
    end(signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`),
  );

  // The ports for the next start, and the pid for the operator.
  const record = fileOf(dataDirectory, name, 'json');
  writeFileSync(`${record}.new`, `${JSON.stringify({ pid, ports })}\n`, { mode: 0o600 });
  renameSync(`${record}.new`, record);
  return {
    pid,
    ports,
    get ended() {
      return ended;
    },
    onExit(callback) {
      if (ended === undefined) callbacks.push(callback);
      else callback(ended);
    },
    output: () => lastOutput ?? readOutput(log, logStart),
    async stop() {
      isStopping = true;
      await stopProcesses(() => (ended === undefined && pid > 0 ? [pid] : []), command.stopPlan);
    },
  };
}

/** Reads the open file, because the log at the path may have been moved or emptied since. */
function readOutput(log: number, start: number): string {
  const { size } = fstatSync(log);
  const bytes = Buffer.alloc(Math.min(Math.max(size - start, 0), longestOutputBytes));
  readSync(log, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString('utf8');
}

interface ServerStart extends Omit<ServerCommand, 'args' | 'ports'> {
  portNames: readonly string[];
  argsOn(ports: Ports): readonly string[];
  /** Called again if it rejects. */
  isReady(server: ServerProcess): boolean | Promise<boolean>;
  progress: (line: string) => void;
  signal: AbortSignal | undefined;
}

const startTimeoutMs = 60_000;
/** Another process has taken a port, or the system hasn't yet removed a killed Postgres. */
const passingFailure = /address already in use|lock file "postmaster\.pid"|shared memory block/i;

/** Starts the server on the ports of its last start, or on other ports if those are in use. */
export async function startServer(start: ServerStart): Promise<ServerProcess> {
  let wanted = readLastPorts(start.dataDirectory, start.name);
  for (let attempt = 1; ; attempt += 1) {
    const free = await findFreePorts(start.portNames.map((port) => wanted[port] ?? 0));
    const ports = Object.fromEntries(start.portNames.map((port, i) => [port, free[i]!]));
    const server = spawnServer({ ...start, args: start.argsOn(ports), ports });
    try {
      await waitUntilReady(server, start);
      start.progress(`${start.name} is up on 127.0.0.1:${ports['port']}.`);
      return server;
    } catch (error) {
      await server.stop();
      const output = server.output();
      if (attempt === 3 || start.signal?.aborted || !passingFailure.test(output)) throw error;
      if (/address already in use/i.test(output)) wanted = {};
      await sleep(1000);
    }
  }
}

async function waitUntilReady(
  server: ServerProcess,
  { name, isReady, signal }: ServerStart,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  let cause: unknown;
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    if (server.ended !== undefined) throw new Error(server.ended);
    try {
      if (await isReady(server)) return;
    } catch (error) {
      cause = error;
    }
    await sleep(25);
  }
  const seconds = startTimeoutMs / 1000;
  throw new Error(`${name} is not ready after ${seconds} s.\n${server.output()}`, { cause });
}

export function readLastPorts(dataDirectory: string, name: string): Ports {
  try {
    const record = readFileSync(fileOf(dataDirectory, name, 'json'), 'utf8');
    return (JSON.parse(record) as { ports: Ports }).ports;
  } catch {
    return {};
  }
}

function fileOf(dataDirectory: string, name: string, extension: 'log' | 'json'): string {
  return path.join(dataDirectory, `${name.toLowerCase()}.${extension}`);
}

/** Stops what an earlier program left running in this folder. */
export async function stopLeftRunning(
  name: string,
  workingDirectory: string,
  command: RegExp,
  plan: StopPlan,
  progress: (line: string) => void,
): Promise<void> {
  if (!existsSync(workingDirectory)) return;
  const find = () => findProcessesIn(realpathSync(workingDirectory), command);
  const [pid] = find();
  if (pid === undefined) return;
  progress(`Stopping ${name} (process ${pid}), left running by an earlier start.`);
  await stopProcesses(find, plan);
}
