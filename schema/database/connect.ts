// One pool of connections to Postgres, and Kysely over it.
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { Database, Db } from './database.ts';
import { PreparingClient } from './prepared.ts';
import { defaultQueryTimeoutMs, timedOptions } from './timed-client.ts';

export interface ConnectOptions {
  url: string;
  maxConnections: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** How long Postgres may take to answer. Default: 8 s. 0: any time. */
  queryTimeoutMs?: number;
  /** Default: 5. 0: none. */
  transactionTimeoutS?: number;
}

export interface DatabaseConnection {
  db: Db;
  close(): Promise<void>;
}

export function connectDatabase(options: ConnectOptions): DatabaseConnection {
  const { queryTimeoutMs = defaultQueryTimeoutMs, transactionTimeoutS = 5 } = options;
  const pool = new Pool({
    ...timedOptions(queryTimeoutMs),
    Client: PreparingClient,
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    options: '-c idle_in_transaction_session_timeout=5s',
    // The pool waits for it, which pg's types don't say.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: (client) => client.query(limitTransactions(transactionTimeoutS)),
    types,
  });
  // A connection that breaks fails its query, or is replaced at the next one. Without listeners, on the
  // pool for idle connections and on each that is in use, it would end the process besides.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return { db, close: () => db.destroy() };
}

/**
 * A transaction left open would hold the live feed back: its readers wait for every older one. Before
 * Postgres 17 only its single statements can be limited.
 */
export function limitTransactions(
  seconds: number,
  serverVersion = `current_setting('server_version_num')::int`,
): string {
  return `select set_config(
    case when ${serverVersion} >= 170000 then 'transaction_timeout' else 'statement_timeout' end,
    '${seconds}s', false)`;
}
