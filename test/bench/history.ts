// Fills a database with old deliveries: its only real one, copied as often as wanted with ids and times of its own.
import { sql, type Kysely } from 'kysely';
import { connectDatabase } from '../../schema/database/connect.ts';
import { firstIdAt, type IdKind } from '../../schema/wire/ids.ts';
import { deliverRound } from './events.ts';
import type { Installation } from './installation.ts';

/** Younger than what retention takes away, the feed's rows included. */
const ageMs = 20 * 3_600_000;
/** Copied in one transaction. */
const chunkSize = 20_000;

/** What a copy has of its own; every other column is as in the real row. */
interface Copy {
  table: string;
  /** Which rows of it are the real delivery's. */
  where: string;
  own: Record<string, string>;
  left?: readonly string[];
}

const copies: readonly Copy[] = [
  {
    table: 'events',
    where: 'id in (select event_id from deliveries)',
    own: { id: 'copy.event_id', created_at: 'copy.at' },
  },
  {
    table: 'deliveries',
    where: 'true',
    own: {
      id: 'copy.delivery_id',
      event_id: 'copy.event_id',
      created_at: 'copy.at',
      concluded_at: 'copy.at',
      delivered_at: 'copy.at',
    },
  },
  {
    table: 'delivery_attempts',
    where: 'true',
    own: { delivery_id: 'copy.delivery_id', started_at: 'copy.at' },
  },
  {
    table: 'changes',
    where: 'subject_id in (select id from deliveries union all select event_id from deliveries)',
    own: {
      subject_id: `case subject when 'event' then copy.event_id else copy.delivery_id end`,
      created_at: 'copy.at',
    },
    left: ['id', 'xid'],
  },
];

/** Ends with fresh statistics and nothing left to write. */
export async function addOldDeliveries(
  installation: Installation,
  count: number,
  progress: (line: string) => void,
): Promise<void> {
  await deliverRound(installation, 1);
  const connection = connectDatabase({
    url: installation.databaseUrl,
    maxConnections: 2,
    applicationName: 'bench-history',
    transactionTimeoutS: 0,
  });
  try {
    await copyDelivered(connection.db, count, progress);
    for (const { table } of copies) {
      await sql`vacuum analyze ${sql.table(table)}`.execute(connection.db);
    }
    await sql`checkpoint`.execute(connection.db);
  } finally {
    await connection.close();
  }
}

async function copyDelivered<T>(
  db: Kysely<T>,
  count: number,
  progress: (line: string) => void,
): Promise<void> {
  for (const { table, where } of copies) {
    await sql`
      create table ${real(table)} as select * from ${sql.table(table)} where ${sql.raw(where)}
    `.execute(db);
  }
  const statements = await Promise.all(
    copies.map(async (copy) => ({ ...copy, columns: await columnsOf(db, copy) })),
  );
  const startMs = Date.now() - ageMs;
  const stepMs = ageMs / 2 / (count / chunkSize);
  for (let done = 0; done < count; done += chunkSize) {
    const at = new Date(startMs + (done / chunkSize) * stepMs);
    await db.transaction().execute(async (trx) => {
      await sql`set local synchronous_commit = off`.execute(trx);
      for (const { table, own, columns } of statements) {
        const targets = sql.join(columns.map((name) => sql.ref(name)));
        const values = sql.join(columns.map((name) => sql.raw(own[name] ?? `real.${name}`)));
        await sql`
          insert into ${sql.table(table)} (${targets})
          select ${values} from (
            select ${idsFrom('event', at)} as event_id, ${idsFrom('delivery', at)} as delivery_id,
              ${at}::timestamptz + n * interval '1 ms' as at
            from generate_series(1, ${chunkSize}) as n
          ) as copy, ${real(table)} as real`.execute(trx);
      }
    });
    if ((done + chunkSize) % 250_000 === 0) progress(`${done + chunkSize} old deliveries stored`);
  }
  for (const { table } of copies) await sql`drop table ${real(table)}`.execute(db);
}

const real = (table: string) => sql.table(`real_${table}`);

/** Ids like those created at that time, distinguished by their number. */
function idsFrom(kind: IdKind, at: Date) {
  return sql`${firstIdAt(kind, at).slice(0, -8)}::text || lpad(n::text, 8, '0')`;
}

async function columnsOf<T>(db: Kysely<T>, { table, left = [] }: Copy): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
    order by attnum`.execute(db);
  return rows.map((row) => row.name).filter((name) => !left.includes(name));
}
