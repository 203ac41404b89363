// Starts the embedded servers that the operator doesn't replace, in parallel, and stops them in order.
import path from 'node:path';
import { takeDataDirectory } from './data-directory.ts';
import { startPostgres, type EmbeddedPostgres } from './postgres.ts';
import { findTemporalExecutable } from './temporal-executable.ts';
import { startTemporal, type EmbeddedTemporal } from './temporal.ts';

export interface EmbeddedBackends extends AsyncDisposable {
  readonly databaseUrl: string | undefined;
  readonly temporalAddress: string | undefined;
  readonly temporalUiUrl: string | undefined;
  /** Called when a server has ended by itself and can't be restarted. */
  onExit(callback: (name: string, detail: string) => void): void;
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
  const held =
    options.postgres || options.temporal ? takeDataDirectory(options.dataDirectory) : undefined;
  const dataDirectory = held?.path ?? options.dataDirectory;
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const [postgres, temporal] = await Promise.allSettled([
    orAbort(startWantedPostgres({ ...options, dataDirectory, signal }), failed),
    orAbort(startWantedTemporal({ ...options, dataDirectory, signal }), failed),
  ]);

  let stopped: Promise<void> | undefined;
  async function stopAll(): Promise<void> {
    try {
      if (temporal.status === 'fulfilled') await temporal.value?.stop();
    } finally {
      if (postgres.status === 'fulfilled') await postgres.value?.stop();
      held?.release();
    }
  }
  const stop = (): Promise<void> => (stopped ??= stopAll());

  if (postgres.status === 'rejected' || temporal.status === 'rejected') {
    await stop();
    // The reason of the first failure. The other server was only aborted.
    throw failed.signal.reason;
  }
  return {
    databaseUrl: postgres.value?.databaseUrl,
    temporalAddress: temporal.value?.address,
    temporalUiUrl: temporal.value?.uiUrl,
    onExit(callback) {
      postgres.value?.onExit((detail) => callback('Postgres', detail));
      temporal.value?.onExit((detail) => callback('Temporal', detail));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function orAbort<T>(start: Promise<T>, failed: AbortController): Promise<T> {
  try {
    return await start;
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

async function startWantedPostgres(
  options: EmbeddedBackendsOptions,
): Promise<EmbeddedPostgres | undefined> {
  if (!options.postgres) return undefined;
  const { dataDirectory, progress, signal } = options;
  const server = await startPostgres({ dataDirectory, progress, signal });
  progress(`Postgres is up on 127.0.0.1:${server.port}.`);
  return server;
}

async function startWantedTemporal(
  options: EmbeddedBackendsOptions,
): Promise<EmbeddedTemporal | undefined> {
  if (!options.temporal) return undefined;
  const { dataDirectory, progress, signal } = options;
  const executable = await findTemporalExecutable({
    temporalCli: options.temporalCli,
    cacheDirectory: options.cacheDirectory ?? path.join(dataDirectory, 'bin'),
    progress,
    signal,
  });
  const server = await startTemporal({ dataDirectory, executable, progress, signal });
  progress(`Temporal is up on ${server.address}.`);
  return server;
}
