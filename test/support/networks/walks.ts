// The walks over every step of a run at one kind of network.
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
import { createLifePool } from './life.ts';
import type { NetworkKind } from './network.ts';
import { walkSteps, type Walk } from './step-walk.ts';

const walks: Omit<Walk, 'kind'>[] = [
  { shape: 'single', manner: 'dies' },
  { shape: 'single', manner: 'stumbles' },
  { shape: 'single', manner: 'dies', fault: 'answer_lost' },
  { shape: 'single', manner: 'dies', fault: 'token_expired' },
  { shape: 'thread', manner: 'dies' },
  { shape: 'commented', manner: 'dies' },
  { shape: 'single', manner: 'is overtaken' },
  { shape: 'thread', manner: 'is overtaken' },
];

export function describeWalks(kind: NetworkKind): void {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createLifePool(database.url);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  describe(`a run at ${kind.name}`, () => {
    test.each(walks.filter(({ fault }) => fault !== 'token_expired' || kind.hasRefresh))(
      'ends in the truth when its worker $manner at any step: $shape, $fault',
      async (walk) => {
        expect(await walkSteps({ db: database.db, pool }, { kind, ...walk })).toBeGreaterThan(10);
      },
    );
  });
}
