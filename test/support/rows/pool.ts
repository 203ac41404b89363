// A pool of plain connections, for tests that need more of a connection than Kysely shows.
import { Pool } from 'pg';

/** Ignores errors of the pool's connections, because their database may be dropped before they are closed. */
export function createTestPool(url: string, max: number): Pool {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
