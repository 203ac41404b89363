// The transaction of an operation after a deadlock or a serialization failure.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { toIdempotency } from '../../../api/http/idempotency.ts';
import { Replayed, transact, type Effects } from '../../../api/http/transact.ts';
import { useApp } from '../../support/app/app.ts';

const app = useApp({ roles: { api: true, worker: false } });

/** Notes a change each time, and then fails so often with that SQLSTATE. */
function failing(times: number, state: string) {
  let runs = 0;
  const work = async ({ trx, change }: Effects) => {
    runs++;
    change({ subject: 'post', subject_id: `${state}-${times}`, kind: 'created' });
    if (runs <= times) {
      await sql.raw(`do $$ begin raise 'lost' using errcode = '${state}'; end $$`).execute(trx);
    }
    return { status: 200, data: runs };
  };
  return { work, runs: () => runs };
}

const countChanges = async (subjectId: string) =>
  (
    await app.database.db
      .selectFrom('changes')
      .select('kind')
      .where('subject_id', '=', subjectId)
      .execute()
  ).length;

describe('transact', () => {
  test.each([['40P01'], ['40001']])(
    'is run again after %s, and has effects once',
    async (state) => {
      const { work } = failing(2, state);
      const idempotency = toIdempotency(state, Buffer.from('x'), []);
      const answer = await transact(app.context, { ...app.tenant.caller, idempotency }, work);
      expect(answer).toEqual({ status: 200, data: 3 });
      expect(await countChanges(`${state}-2`)).toBe(1);
    },
  );

  test('answers a repeat only if its key has the scopes of the first request', async () => {
    const scopes = ['posts:write' as const, 'accounts:write' as const];
    const idempotency = toIdempotency('scopes', Buffer.from('x'), scopes);
    const caller = { ...app.tenant.caller, idempotency };
    const work = () => Promise.resolve({ status: 200, data: 'first' });
    await transact(app.context, caller, work);
    await expect(transact(app.context, caller, work)).rejects.toThrow(Replayed);
    const lesser = { ...caller, keyId: 'key_other', scopes: ['posts:write' as const] };
    await expect(transact(app.context, lesser, work)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    const equal = { ...caller, keyId: 'key_other' };
    await expect(transact(app.context, equal, work)).rejects.toThrow(Replayed);
  });

  test('gives up after the third run', async () => {
    const { work, runs } = failing(9, '40P01');
    const running = transact(app.context, app.tenant.caller, work);
    await expect(running).rejects.toMatchObject({ code: '40P01' });
    expect(runs()).toBe(3);
    expect(await countChanges('40P01-9')).toBe(0);
  });

  test('does not run again after any other failure', async () => {
    const { work, runs } = failing(9, '23505');
    const running = transact(app.context, app.tenant.caller, work);
    await expect(running).rejects.toMatchObject({ code: '23505' });
    expect(runs()).toBe(1);
  });
});
