// Queries of the sandbox network on its own tables.
import { sql, type Insertable } from 'kysely';
import { ago } from './database-clock.ts';
import type { Database, Db, SandboxGrantRow, SandboxMediaRow, SandboxPostRow } from './tables.ts';

export function insertSandboxPost(
  db: Db,
  post: Insertable<Database['sandbox_posts']>,
): Promise<SandboxPostRow> {
  return db.insertInto('sandbox_posts').values(post).returningAll().executeTakeFirstOrThrow();
}

export function findSandboxPost(db: Db, id: string): Promise<SandboxPostRow | undefined> {
  return db.selectFrom('sandbox_posts').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function deleteSandboxPost(db: Db, id: string): Promise<void> {
  await db.deleteFrom('sandbox_posts').where('id', '=', id).execute();
}

export async function updateSandboxPost(
  db: Db,
  id: string,
  changes: { caption?: string | undefined; is_hidden?: true },
): Promise<void> {
  await db.updateTable('sandbox_posts').set(changes).where('id', '=', id).execute();
}

export async function setSandboxAltText(db: Db, id: string, altText: string | null): Promise<void> {
  await db.updateTable('sandbox_media').set({ alt_text: altText }).where('id', '=', id).execute();
}

/** Newest first. */
export function listSandboxPosts(
  db: Db,
  { handle, reference }: { handle?: string | undefined; reference?: string | undefined },
  limit: number,
): Promise<SandboxPostRow[]> {
  return db
    .selectFrom('sandbox_posts')
    .selectAll()
    .$if(handle !== undefined, (query) => query.where('handle', '=', handle!))
    .$if(reference !== undefined, (query) => query.where('reference', '=', reference!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Lists the replies to a post, the replies to these replies, and so on, oldest first. */
export function listSandboxReplies(db: Db, id: string, limit: number): Promise<SandboxPostRow[]> {
  return db
    .withRecursive('replies', (query) =>
      query
        .selectFrom('sandbox_posts')
        .selectAll()
        .where('reply_to', '=', id)
        .unionAll((deeper) =>
          deeper
            .selectFrom('sandbox_posts')
            .innerJoin('replies', 'replies.id', 'sandbox_posts.reply_to')
            .selectAll('sandbox_posts'),
        ),
    )
    .selectFrom('replies')
    .selectAll()
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function insertSandboxMedia(
  db: Db,
  media: Insertable<Database['sandbox_media']>,
): Promise<SandboxMediaRow> {
  return db.insertInto('sandbox_media').values(media).returningAll().executeTakeFirstOrThrow();
}

export function findSandboxMedia(db: Db, id: string): Promise<SandboxMediaRow | undefined> {
  return db.selectFrom('sandbox_media').selectAll().where('id', '=', id).executeTakeFirst();
}

/** In no order. */
export async function listSandboxMedia(db: Db, ids: string[]): Promise<SandboxMediaRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('sandbox_media').selectAll().where('id', 'in', ids).execute();
}

/** Appends bytes. False: the bytes don't start where the received bytes end. */
export async function insertSandboxMediaPart(
  db: Db,
  id: string,
  startByte: number,
  bytes: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with media as (
      update sandbox_media set received_bytes = ${startByte + bytes.length}
      where id = ${id} and received_bytes = ${startByte}
      returning id
    )
    insert into sandbox_media_parts (media_id, start_byte, bytes)
    select id, ${startByte}, ${bytes} from media`.execute(db);
  return numAffectedRows === 1n;
}

/** At most `maxBytes` from `startByte` on, from one part. Undefined: no byte is stored at `startByte`. */
export async function readSandboxMedia(
  db: Db,
  id: string,
  startByte: number,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const part = await db
    .selectFrom('sandbox_media_parts')
    .select(
      sql<Buffer>`substring(bytes from ${startByte}::int - start_byte + 1 for ${maxBytes}::int)`.as(
        'bytes',
      ),
    )
    .where('media_id', '=', id)
    .where('start_byte', '<=', startByte)
    .orderBy('start_byte', 'desc')
    .limit(1)
    .executeTakeFirst();
  return part && part.bytes.length > 0 ? part.bytes : undefined;
}

export async function setSandboxMediaComplete(db: Db, id: string): Promise<void> {
  await db.updateTable('sandbox_media').set({ is_complete: true }).where('id', '=', id).execute();
}

export async function deleteSandboxMedia(db: Db, id: string): Promise<void> {
  await db.deleteFrom('sandbox_media').where('id', '=', id).execute();
}

/** Counts one more refusal of a target, and returns the new count. */
export async function insertSandboxRefusal(db: Db, reference: string): Promise<number> {
  const { count } = await db
    .insertInto('sandbox_refusals')
    .values({ reference, count: 1 })
    .onConflict((conflict) =>
      conflict.column('reference').doUpdateSet({ count: sql`sandbox_refusals.count + 1` }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
}

export function insertSandboxGrant(
  db: Db,
  grant: Insertable<Database['sandbox_grants']>,
): Promise<SandboxGrantRow> {
  return db.insertInto('sandbox_grants').values(grant).returningAll().executeTakeFirstOrThrow();
}

/** A code can be exchanged once, and only for a limited time. */
export function claimSandboxGrant(
  db: Db,
  code: string,
  maxAgeMs: number,
): Promise<SandboxGrantRow | undefined> {
  return db
    .updateTable('sandbox_grants')
    .set({ code: null })
    .where('code', '=', code)
    .where('created_at', '>', ago(maxAgeMs))
    .returningAll()
    .executeTakeFirst();
}

export function findSandboxGrant(db: Db, id: string): Promise<SandboxGrantRow | undefined> {
  return db.selectFrom('sandbox_grants').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The stored grant. If there is none, inserts this one. */
export async function openSandboxGrant(
  db: Db,
  grant: Pick<SandboxGrantRow, 'id' | 'handle' | 'generation'>,
): Promise<SandboxGrantRow> {
  const found = await findSandboxGrant(db, grant.id);
  if (found) return found;
  return db
    .insertInto('sandbox_grants')
    .values(grant)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ id: grant.id }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Starts the next generation, which ends the tokens of `generation`. Undefined: those tokens had already
 * ended.
 */
export function setSandboxGrantRefreshed(
  db: Db,
  id: string,
  generation: number,
): Promise<SandboxGrantRow | undefined> {
  return db
    .updateTable('sandbox_grants')
    .set({ generation: generation + 1, is_expired: false })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('is_revoked', '=', false)
    .returningAll()
    .executeTakeFirst();
}

/** Has no effect on a generation that has been refreshed meanwhile. */
export async function setSandboxGrantEnded(
  db: Db,
  { id, generation }: Pick<SandboxGrantRow, 'id' | 'generation'>,
  end: { is_expired: true } | { is_revoked: true },
): Promise<void> {
  await db
    .updateTable('sandbox_grants')
    .set(end)
    .where('id', '=', id)
    .where('generation', '=', generation)
    .execute();
}
