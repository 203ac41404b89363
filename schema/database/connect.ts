// One pool of connections to Postgres, and Kysely over it.
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import type { Database, Db } from './database.ts';
import { PreparingClient } from './prepared.ts';

export interface ConnectOptions {
  url: string;
  maxConnections: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Default: 5. 0: none. */
  transactionTimeoutS?: number;
}

export interface DatabaseConnection {
  db: Db;
  close(): Promise<void>;
}

export function connectDatabase(options: ConnectOptions): DatabaseConnection {
  const pool = new Pool({
    Client: PreparingClient,
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    // A transaction left open would hold the live feed back: its readers wait for every older one.
    options: `-c idle_in_transaction_session_timeout=5s -c transaction_timeout=${options.transactionTimeoutS ?? 5}s`,
    types,
  });
  // A connection that breaks fails its query, or is replaced at the next one. Without listeners, on the
  // pool for idle connections and on each that is in use, it would end the process besides.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return { db, close: () => db.destroy() };
}
