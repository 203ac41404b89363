// A pool of plain connections, for tests that need more of a connection than Kysely shows.
import { Pool } from 'pg';

/** Ends with its database: the connections may be closed before they have said goodbye. */
export function createTestPool(url: string, max: number): Pool {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
