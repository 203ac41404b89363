// One process of the cluster, `api` or `worker`, and the proxies through which it reaches its servers.
import { fileURLToPath } from 'node:url';
import { within } from '../../../activities/within.ts';
import { startProgram, type Program } from '../../support/app/program.ts';
import { startProxies, type DistantProxy, type ProxiedServer } from './proxies.ts';

export interface Role {
  readonly name: string;
  readonly pid: number;
  readonly postgres: DistantProxy;
  readonly temporal: DistantProxy;
  /** `clockShiftMs`: its clock is wrong by so much. */
  start(options?: { clockShiftMs?: number }): void;
  kill9(): Promise<void>;
  /**
   * As an operator or a container engine does it. False: it ended before its work did. Throws if it had to be
   * killed after that time.
   */
  terminate(withinMs: number): Promise<boolean>;
  stall(): void;
  resume(): void;
  readonly isRunning: boolean;
  /** What it printed in all its lives. */
  output(): string;
  stop(): Promise<void>;
}

export interface RoleOptions {
  name: string;
  command: 'api' | 'worker';
  servers: { postgres: ProxiedServer & { readonly url: string }; temporal: ProxiedServer };
  dataDirectory: string;
  env: Record<string, string>;
}

const clockShift = new URL('../clock-shift.ts', import.meta.url).href;

export async function createRole(options: RoleOptions): Promise<Role> {
  const { name, command, servers, dataDirectory, env } = options;
  const proxies = await startProxies([servers.postgres, servers.temporal]);
  const [postgres, temporal] = proxies.all as [DistantProxy, DistantProxy];
  const lives: (() => string)[] = [];
  let program: Program | undefined;
  let hasEnded = true;

  function start({ clockShiftMs }: { clockShiftMs?: number } = {}): void {
    const started = startProgram({
      command: [command],
      dataDirectory,
      env: {
        ...env,
        DATABASE_URL: postgres.urlOf(servers.postgres.url),
        TEMPORAL_ADDRESS: temporal.address,
        ...(clockShiftMs === undefined
          ? {}
          : { NODE_OPTIONS: `--import=${clockShift}`, CLOCK_SHIFT_MS: String(clockShiftMs) }),
      },
    });
    program = started;
    hasEnded = false;
    const startedAt = new Date().toISOString();
    let end = '';
    lives.push(() => `--- ${startedAt} ${name} starts\n${started.output()}${end}`);
    void started.exit.then(({ code, signal }) => {
      end = `--- ${new Date().toISOString()} ${name} ended: ${signal ?? code}\n`;
      if (program === started) hasEnded = true;
    });
  }

  const signal = (word: NodeJS.Signals) => {
    if (!hasEnded) process.kill(program!.pid, word);
  };
  async function kill9(): Promise<void> {
    signal('SIGKILL');
    await program?.exit;
  }
  async function terminate(withinMs: number): Promise<boolean> {
    signal('SIGTERM');
    const ended = await within(withinMs, program!.exit);
    if (ended) return !program!.output().includes('some parts did not stop in time');
    await kill9();
    throw new Error(`${name} did not end within ${withinMs / 1_000} s of SIGTERM`);
  }

  return {
    name,
    postgres,
    temporal,
    get pid() {
      return program!.pid;
    },
    get isRunning() {
      return !hasEnded;
    },
    start,
    kill9,
    terminate,
    stall: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    output: () => lives.map((read) => read()).join(''),
    async stop() {
      await kill9();
      await proxies[Symbol.asyncDispose]();
    },
  };
}

export const root = fileURLToPath(new URL('../../..', import.meta.url));
