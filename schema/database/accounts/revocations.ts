// Queries on revocations: calls in flight that end a login at its network.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inMs } from '../database-clock.ts';
import type { PlatformName } from '../../platforms/index.ts';
import type { Db, RevocationRow } from '../tables.ts';

const checkEveryMs = 100;
/** Longer than the call takes. After this time, nobody waits for the revocation. */
const liveForMs = 10_000;

/** Call it before calling the network. */
export async function insertRevocation(
  db: Db,
  { id, project_id, platform }: Pick<RevocationRow, 'id' | 'project_id' | 'platform'>,
): Promise<void> {
  await db
    .insertInto('revocations')
    .values({ id, project_id, platform, expires_at: inMs(liveForMs) })
    .execute();
}

/** Call it when the network has answered. */
export async function deleteRevocation(db: Db, projectId: string, id: string): Promise<void> {
  await db
    .deleteFrom('revocations')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .execute();
}

/**
 * Call it before asking a network for a login. The network may return the token that is just being revoked,
 * or a revocation may end all logins of the user. Waits at most until the calls in flight have timed out.
 */
export async function waitForRevocations(
  db: Db,
  projectId: string,
  platform: PlatformName,
): Promise<void> {
  let inFlight = await listRevocations(db, projectId, platform);
  while (inFlight.length > 0) {
    await sleep(checkEveryMs);
    const now = await listRevocations(db, projectId, platform);
    // Ignores revocations that began later.
    inFlight = inFlight.filter((id) => now.includes(id));
  }
}

/** The project's revocations that may still reach this network. */
export async function listRevocations(
  db: Db,
  projectId: string,
  platform: PlatformName,
): Promise<string[]> {
  const rows = await db
    .selectFrom('revocations')
    .select('id')
    .where('project_id', '=', projectId)
    .where('platform', '=', platform)
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
  return rows.map(({ id }) => id);
}
