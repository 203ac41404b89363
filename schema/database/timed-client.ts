// A connection to Postgres that ends itself when a query gets no answer, as after a lost route.
import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

export interface TimedClientConfig extends ClientConfig {
  /** Default: 0, a query may take any time. */
  queryTimeoutMs?: number;
  onAnswer?: () => void;
}

const maxConnectMs = 5_000;
const keepAliveAfterMs = 10_000;
const readWithinMs = 100;
/** A silent server never closes its side. */
const endWithinMs = 1_000;

/** Options of a connection or a pool with this timeout. */
export function timedOptions(queryTimeoutMs: number) {
  return {
    queryTimeoutMs,
    connectionTimeoutMillis: Math.min(maxConnectMs, queryTimeoutMs || maxConnectMs),
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  };
}

type Query = (...args: unknown[]) => unknown;
type End = (callback?: () => void) => unknown;

/**
 * pg's own `query_timeout` fails the query but keeps the connection, whose next query would wait for the same
 * lost answer. This client fails like a connection that was reset, so that its pool replaces it.
 */
export class TimedClient extends Client {
  readonly #socket: Socket;
  readonly #queryTimeoutMs: number;
  readonly #onAnswer: () => void;

  constructor(options: TimedClientConfig = {}) {
    const { queryTimeoutMs = 0, onAnswer = () => undefined, ...config } = options;
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    this.#queryTimeoutMs = queryTimeoutMs;
    this.#onAnswer = onAnswer;
  }

  override query = ((...args: unknown[]): unknown => {
    const result = (super.query as Query).apply(this, args);
    if (this.#queryTimeoutMs > 0 && result instanceof Promise) this.#watch(result);
    return result;
  }) as Client['query'];

  override end = ((callback?: () => void): unknown => {
    const timer = setTimeout(() => this.#socket.destroy(), endWithinMs);
    this.#socket.once('close', () => clearTimeout(timer));
    timer.unref();
    return (super.end as End).call(this, callback);
  }) as Client['end'];

  #watch(result: Promise<unknown>): void {
    let isAnswered = false;
    const expire = () => {
      if (!isAnswered) this.#socket.destroy(new QueryTimeout(this.#queryTimeoutMs));
    };
    // If this process was suspended, the answer may have arrived but not been read yet.
    const timer = setTimeout(() => setTimeout(expire, readWithinMs), this.#queryTimeoutMs);
    const settle = () => {
      isAnswered = true;
      clearTimeout(timer);
    };
    result.then(() => {
      settle();
      this.#onAnswer();
    }, settle);
  }
}

/** Asks the database on a new connection. Throws if it doesn't answer. */
export async function pingDatabase(
  url: string,
  applicationName: string,
  withinMs: number,
): Promise<void> {
  const client = new TimedClient({
    ...timedOptions(withinMs),
    connectionString: url,
    application_name: applicationName,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    void client.end();
  }
}

class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout';
  readonly code = 'ETIMEDOUT';

  constructor(queryTimeoutMs: number) {
    super(`Postgres did not answer within ${queryTimeoutMs} ms.`);
  }
}
