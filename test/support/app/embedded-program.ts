// A program that only runs the embedded servers, in a process of its own that a test may kill.
import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  startEmbeddedBackends,
  type EmbeddedBackendsOptions,
} from '../../../api/embedded/backends.ts';

type Wanted = Pick<
  EmbeddedBackendsOptions,
  'dataDirectory' | 'postgres' | 'temporal' | 'temporalCli'
>;

export interface EmbeddedProgram {
  readonly pid: number;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** Kills the program, but not its servers. */
  kill9(): Promise<void>;
  /** Ends the program and its servers in order. */
  stop(): Promise<void>;
}

const self = fileURLToPath(import.meta.url);

/** Resolves once the servers are up. If the program ends before, rejects with its whole output. */
export async function startEmbeddedProgram(
  wanted: Wanted,
  user: Pick<SpawnOptions, 'uid' | 'gid'> = {},
): Promise<EmbeddedProgram> {
  const child = spawn(process.execPath, [self, JSON.stringify(wanted)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...user,
  });
  const exit = once(child, 'exit');
  let output = '';
  const addresses = await new Promise<{ databaseUrl: string; temporalAddress: string }>(
    (resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output += chunk.toString('utf8');
        const ready = /^ready (.*)$/m.exec(output);
        if (ready) resolve(JSON.parse(ready[1]!));
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', () => reject(new Error(output)));
    },
  );
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exit;
  };
  return {
    pid: child.pid!,
    ...addresses,
    kill9: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

if (process.argv[1] === self) {
  const wanted = JSON.parse(process.argv[2]!) as Wanted;
  const backends = await startEmbeddedBackends({ ...wanted, progress: console.log });
  const { databaseUrl, temporalAddress } = backends;
  console.log(`ready ${JSON.stringify({ databaseUrl, temporalAddress })}`);
  const staysUp = setInterval(() => undefined, 1000);
  process.once('SIGTERM', () => {
    void backends.stop().then(() => clearInterval(staysUp));
  });
}
