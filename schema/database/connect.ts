// One pool of connections to Postgres, and Kysely over it.
import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely';
import { Pool, types, type PoolClient } from 'pg';
import type { Database, Db } from './tables.ts';
import { defaultQueryTimeoutMs } from '../retry.ts';
import { TimedClient, timedOptions, type TimedClientConfig } from './timed-client.ts';

export interface ConnectOptions {
  url: string;
  maxConnections: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** How long Postgres may take to answer. 0: no limit. Default: 8 s, or 0 if `transactionTimeoutS` is 0. */
  queryTimeoutMs?: number;
  /** Default: 5. 0: no limit. */
  transactionTimeoutS?: number;
  /** Runs `use` when its turn comes. `use` holds a connection until it resolves. Default: runs it at once. */
  inTurn?: (use: () => Promise<void>) => Promise<void>;
}

export interface PoolState {
  /** Open connections, idle ones included. */
  total: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
}

export interface DatabaseConnection {
  db: Db;
  /** When a query last succeeded on any connection of the pool, by performance.now(). */
  lastAnswerAtMs(): number;
  pool(): PoolState;
  close(): Promise<void>;
}

export function connectDatabase(options: ConnectOptions): DatabaseConnection {
  const { transactionTimeoutS = 5 } = options;
  const { queryTimeoutMs = transactionTimeoutS === 0 ? 0 : defaultQueryTimeoutMs } = options;
  let answeredAtMs = performance.now();
  const clientOptions: TimedClientConfig = {
    onAnswer: () => (answeredAtMs = performance.now()),
  };
  const pool = new Pool({
    ...clientOptions,
    ...timedOptions(queryTimeoutMs),
    Client: TimedClient,
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    // The pool waits for this promise, although pg's types don't say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: (client) => client.query(limitTransactions(transactionTimeoutS)),
    types,
  });
  // A broken connection fails its query, or is replaced when it is next used. Without these listeners (on
  // the pool for idle connections, on each client in use), it would also end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({
      pool: options.inTurn ? takingTurns(pool, options.inTurn) : pool,
    }),
  });
  return {
    db,
    lastAnswerAtMs: () => answeredAtMs,
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => db.destroy(),
  };
}

function takingTurns(pool: Pool, inTurn: NonNullable<ConnectOptions['inTurn']>): PostgresPool {
  return {
    connect() {
      const { promise, resolve, reject } = Promise.withResolvers<PoolClient>();
      const use = async () => {
        const client = await pool.connect();
        const released = Promise.withResolvers<void>();
        const { release } = client;
        client.release = (error) => {
          release.call(client, error);
          released.resolve();
        };
        resolve(client);
        await released.promise;
      };
      inTurn(use).catch(reject);
      return promise;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** The reason why nothing can be written now, if any. A full disk shows only at a write. */
export async function findReadOnlyCause(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ is_standby: boolean; is_read_only: boolean }>`select
    pg_is_in_recovery() as is_standby,
    current_setting('transaction_read_only') = 'on' as is_read_only`.execute(db);
  if (rows[0]!.is_standby) return 'The server is a standby.';
  return rows[0]!.is_read_only ? 'The database is read-only.' : undefined;
}

/**
 * A transaction left open would hold back the live feed, whose readers wait for every older transaction.
 * Before Postgres 17, only single statements can be limited. The limit isn't set by `options` of the
 * connection, because PgBouncer refuses `options`.
 */
export function limitTransactions(
  seconds: number,
  serverVersion = `current_setting('server_version_num')::int`,
): string {
  return `select set_config(
    case when ${serverVersion} >= 170000 then 'transaction_timeout' else 'statement_timeout' end,
    '${seconds}s', false),
    set_config('idle_in_transaction_session_timeout', '5s', false)`;
}
