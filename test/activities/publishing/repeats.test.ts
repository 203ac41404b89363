// A lost commit, by how long the network recognizes a repeat.
import { describe, expect, test } from 'vitest';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { reopenResult } from '../../../schema/database/posts/changes.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';
import { advanceToEnd, addTarget } from '../../support/rows/targets.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();
const network = useScriptedNetwork();

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

const createTarget = async () => (await addTarget(database.db)).resultId;

const phases = async (resultId: string) => {
  const rows = await database.db
    .selectFrom('post_attempts')
    .select('phase')
    .where('result_id', '=', resultId)
    .orderBy('number')
    .execute();
  return rows.map(({ phase }) => phase);
};

describe('a network that can never be checked', () => {
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
    await inQuietTransaction(database.db, (trx) => reopenResult(trx, failed.project_id, failed));
    const result = await advanceToEnd(dependenciesFor(platform), resultId);
    expect(result).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
    expect(network.posts).toEqual([resultId]);
  });
});

describe('a network that recognizes repeats for an hour', () => {
  const forAnHour = (): Platform => ({
    ...network.platform,
    definition: { ...network.platform.definition, commitRepeatsForMs: 3_600_000 },
  });

  test('gets the repeat after the first check', async () => {
    network.script = [new PlatformError('unknown_outcome', 'Nobody knows.')];
    const resultId = await createTarget();
    const result = await advanceToEnd(dependenciesFor(forAnHour()), resultId);
    expect(result).toMatchObject({ status: 'published' });
    expect(await phases(resultId)).toEqual(['commit', 'reconcile', 'commit']);
  });

  test('gets another check instead of a repeat after the hour', async () => {
    const resultId = await createTarget();
    // Like after a long pause: the repeat was due, and the first commit was accepted late.
    await database.db
      .updateTable('post_results')
      .set({
        phase: 'commit',
        clock: JSON.stringify({ reconcileChecks: 1, unprovenSinceMs: Date.now() - 3_600_000 }),
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
