// The pool on a real Postgres: lost connections, and the limits of its sessions.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { limitTransactions } from '../../../schema/database/connect.ts';
import { executePrepared } from '../../../schema/database/prepared.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();

describe('connectDatabase', () => {
  test('survives a connection that is lost between two statements of a transaction', async () => {
    const { db } = database;
    const cut = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      // Returns once the connection is gone.
      await sql`select pg_terminate_backend(${rows[0]!.pid}, 10000)`.execute(db);
      await sql`select 1`.execute(trx);
    });
    await expect(cut).rejects.toThrow();
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  test('keeps a prepared statement, however it was built', async () => {
    await database.db.transaction().execute(async (trx) => {
      const raw = sql<{ one: number }>`select ${1}::int as one`;
      expect(await executePrepared(trx, 'raw_statement', raw)).toEqual([{ one: 1 }]);
      const built = trx.selectFrom('projects').select('id').where('id', '=', 'prj_1');
      expect(await executePrepared(trx, 'built_statement', built)).toEqual([]);
      await sql`select ${1}::int`.execute(trx);
      const { rows } = await sql`select name from pg_prepared_statements order by 1`.execute(trx);
      expect(rows).toEqual([{ name: 'built_statement' }, { name: 'raw_statement' }]);
    });
  });
});

describe('limitTransactions', () => {
  const show = async (setting: string) => {
    const { rows } = await sql<{ value: string | null }>`
      select current_setting(${setting}, true) as value`.execute(database.db);
    return rows[0]!.value;
  };
  const serverVersion = () => show('server_version_num').then(Number);

  test('limits whole transactions if Postgres can do that, and single statements otherwise', async () => {
    const canLimitTransactions = (await serverVersion()) >= 170_000;
    expect(await show(canLimitTransactions ? 'transaction_timeout' : 'statement_timeout')).toBe(
      '5s',
    );
    if (canLimitTransactions) expect(await show('statement_timeout')).toBe('0');
    expect(await show('idle_in_transaction_session_timeout')).toBe('5s');
  });

  test('sets the limits in the session, since PgBouncer refuses connections with options', async () => {
    const { rows } = await sql<{ sources: string[] }>`
      select array_agg(distinct source) as sources from pg_settings
      where name in ('transaction_timeout', 'idle_in_transaction_session_timeout')`.execute(
      database.db,
    );
    expect(rows).toEqual([{ sources: ['session'] }]);
  });

  test('uses no setting that Postgres 15 lacks', async () => {
    await database.db.connection().execute(async (connection) => {
      await sql.raw(limitTransactions(7, '150000')).execute(connection);
      const { rows } = await sql`show statement_timeout`.execute(connection);
      expect(rows).toEqual([{ statement_timeout: '7s' }]);
      await sql`set statement_timeout = 0`.execute(connection);
    });
  });
});
