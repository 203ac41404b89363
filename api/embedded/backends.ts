// Starts the embedded servers that the operator doesn't replace, in parallel, and stops them in order.
import path from 'node:path';
import { claimDataDirectory } from './data-directory.ts';
import { findPostgresBinaries } from './postgres-programs.ts';
import { startPostgres } from './postgres.ts';
import { findTemporalExecutable } from './temporal-executable.ts';
import { startTemporal } from './temporal.ts';

export interface EmbeddedBackends extends AsyncDisposable {
  readonly databaseUrl: string | undefined;
  readonly temporalAddress: string | undefined;
  readonly temporalUiUrl: string | undefined;
  /** Called when a server has ended by itself, with its last lines. */
  onExit(callback: (reason: string) => void): void;
  /** Stops Temporal first, then Postgres. A second call has no effect. */
  stop(): Promise<void>;
}

export interface EmbeddedBackendsOptions {
  dataDirectory: string;
  postgres: boolean;
  temporal: boolean;
  /** Path of the operator's own Temporal executable. */
  temporalCli?: string | undefined;
  /** Folder for a downloaded Temporal executable. Default: `bin` in the data directory. */
  cacheDirectory?: string | undefined;
  progress: (line: string) => void;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
}

export async function startEmbeddedBackends(
  options: EmbeddedBackendsOptions,
): Promise<EmbeddedBackends> {
  const { progress } = options;
  // Before anything is written, because a program that is missing can't be downloaded everywhere.
  const binaries = options.postgres ? findPostgresBinaries() : undefined;
  const executable = options.temporal
    ? await findTemporalExecutable({
        temporalCli: options.temporalCli,
        cacheDirectory: options.cacheDirectory ?? path.resolve(options.dataDirectory, 'bin'),
        progress,
        signal: options.signal,
      })
    : undefined;
  const isUsed = options.postgres || options.temporal;
  const held = isUsed ? claimDataDirectory(options.dataDirectory) : undefined;
  const dataDirectory = held?.path ?? options.dataDirectory;
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const starting = { dataDirectory, progress, signal };

  /** The first failure aborts the other start. */
  async function orAbort<T>(start: Promise<T>): Promise<T> {
    return start.catch((error: unknown) => {
      failed.abort(error);
      throw error;
    });
  }
  const [postgres, temporal] = await Promise.allSettled([
    binaries && orAbort(startPostgres({ ...starting, binaries })),
    executable === undefined ? undefined : orAbort(startTemporal({ ...starting, executable })),
  ]);

  async function stopAll(): Promise<void> {
    try {
      if (temporal.status === 'fulfilled') await temporal.value?.stop();
    } finally {
      if (postgres.status === 'fulfilled') await postgres.value?.stop();
      held?.release();
    }
  }
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopAll());
  if (postgres.status === 'rejected' || temporal.status === 'rejected') {
    await stop();
    throw failed.signal.reason;
  }
  return {
    databaseUrl: postgres.value?.databaseUrl,
    temporalAddress: temporal.value?.address,
    temporalUiUrl: temporal.value?.uiUrl,
    onExit(callback) {
      postgres.value?.onExit(callback);
      temporal.value?.onExit(callback);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
