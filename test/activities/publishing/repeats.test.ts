// What becomes of a lost commit, by how long the network takes a repeat for the same post.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { reopenResult } from '../../../schema/database/posts/changes.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { createScriptedNetwork, type ScriptedNetwork } from '../../support/scripted-network.ts';
import { addAccount, addTargets, advanceToEnd } from '../../support/rows/targets.ts';

let database: TestDatabase;
let network: ScriptedNetwork;

beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());
beforeEach(() => void (network = createScriptedNetwork()));

function dependenciesFor(platform: Platform): AdvanceDependencies {
  return {
    ...dependenciesOf(database.db, network, {
      ...defaultTargetClock,
      reconcileDelaysMs: [0, 1, 1],
      unavailableDelaysMs: [1, 1],
    }),
    platforms: createPlatforms([platform]),
  };
}

async function createTarget(): Promise<string> {
  const { resultIds } = await addTargets(database.db, await addAccount(database.db));
  return resultIds[0]!;
}

const phases = async (resultId: string) => {
  const rows = await database.db
    .selectFrom('post_attempts')
    .select('phase')
    .where('result_id', '=', resultId)
    .orderBy('number')
    .execute();
  return rows.map(({ phase }) => phase);
};

describe('a network that can never be asked', () => {
  test('a lost answer is an unknown outcome at once', async () => {
    const { reconcile: _, ...platform } = network.platform;
    network.script = ['lose_answer'];
    const resultId = await createTarget();
    const result = await advanceToEnd(dependenciesFor(platform), resultId);
    expect(result).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
    expect(network.posts).toEqual([resultId]);
    expect(await phases(resultId)).toEqual(['commit', 'reconcile']);
  });

  test('a retry sends nothing, and its outcome is unknown too', async () => {
    const { reconcile: _, ...platform } = network.platform;
    network.script = ['lose_answer'];
    const resultId = await createTarget();
    const failed = await advanceToEnd(dependenciesFor(platform), resultId);
    await database.db.transaction().execute((trx) => reopenResult(trx, failed));
    const result = await advanceToEnd(dependenciesFor(platform), resultId);
    expect(result).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
    expect(network.posts).toEqual([resultId]);
  });
});

describe('a network that takes a repeat within an hour for the same post', () => {
  const forAnHour = () => ({ ...network.platform, commitRepeatsForMs: 3_600_000 });

  test('gets the repeat after the first check', async () => {
    network.script = [new PlatformError('unknown_outcome', 'Nobody knows.')];
    const resultId = await createTarget();
    const result = await advanceToEnd(dependenciesFor(forAnHour()), resultId);
    expect(result).toMatchObject({ status: 'published' });
    expect(await phases(resultId)).toEqual(['commit', 'reconcile', 'commit']);
  });

  test('is asked again, not sent to, where the repeat comes after the hour', async () => {
    const resultId = await createTarget();
    // As a long pause leaves it: the repeat was due, and the first commit was taken late.
    await database.db
      .updateTable('post_results')
      .set({
        phase: 'commit',
        clock: JSON.stringify({ reconcileLooks: 1, unprovenSinceMs: Date.now() - 3_600_000 }),
      })
      .where('id', '=', resultId)
      .execute();
    network.posts.push(resultId);
    const result = await advanceToEnd(dependenciesFor(forAnHour()), resultId);
    expect(result).toMatchObject({ status: 'published' });
    expect(network.posts).toEqual([resultId]);
    expect(await phases(resultId)).toEqual(['reconcile']);
  });
});
