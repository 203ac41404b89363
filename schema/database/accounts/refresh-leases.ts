// The lease of a refresh: one process at a time refreshes the credentials of a grant.
import { sql } from 'kysely';
import { inMs } from '../database-clock.ts';
import type { Db, GrantRow } from '../tables.ts';

/**
 * Takes the lease for `forMs`, unless another process has it or the credentials were replaced. `expired`:
 * its last holder did not drop it.
 */
export async function takeRefreshLease(
  db: Db,
  { id, credential_version }: Pick<GrantRow, 'id' | 'credential_version'>,
  leaseId: string,
  forMs: number,
): Promise<'free' | 'expired' | undefined> {
  const { rows } = await sql<{ was_held: boolean }>`
    update grants set refresh_lease_id = ${leaseId}, refresh_lease_until = ${inMs(forMs)}
    from (select id, refresh_lease_until from grants where id = ${id} for update) as before
    where grants.id = before.id and credential_version = ${credential_version}
      and (before.refresh_lease_until is null or before.refresh_lease_until < now())
    returning before.refresh_lease_until is not null as was_held`.execute(db);
  if (!rows[0]) return undefined;
  return rows[0].was_held ? 'expired' : 'free';
}

export async function dropRefreshLease(db: Db, id: string, leaseId: string): Promise<void> {
  await db
    .updateTable('grants')
    .set({ refresh_lease_id: null, refresh_lease_until: null })
    .where('id', '=', id)
    .where('refresh_lease_id', '=', leaseId)
    .execute();
}
