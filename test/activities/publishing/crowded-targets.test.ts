// Targets of a project whose networks are slow wait without a place, so that other projects have some.
import { expect, test } from 'vitest';
import { createCallPlaces } from '../../../activities/call-places.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import {
  createProcess,
  fewestCalls,
  noCalls,
  waitForCall,
} from '../../support/networks/call-ownership.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addTarget, getResult, targetRun } from '../../support/rows/targets.ts';
import { startSlowNetwork } from '../../support/slow-network.ts';

const database = useDatabase();

/** Three targets: two of one project, one of another. */
async function addThree() {
  const { db } = database;
  const [slow, crowded, other] = [await addTarget(db), await addTarget(db), await addTarget(db)];
  await db
    .updateTable('post_results')
    .set({ project_id: slow.projectId })
    .where('id', '=', crowded.resultId)
    .execute();
  return { slow, crowded, other };
}

test('a target without a free place for a call makes no call, and its row stays as it is', async () => {
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  await using network = await startSlowNetwork({ commit: [{ until }] });
  const dependencies = { ...createProcess(database.db, network), places: createCallPlaces(2) };
  const { slow, crowded, other } = await addThree();
  const advance = ({ resultId }: { resultId: string }, options = {}) =>
    advanceTarget(dependencies, { resultId, run: targetRun }, options);
  const read = ({ resultId }: { resultId: string }) => getResult(database.db, resultId);

  const first = advance(slow);
  await waitForCall(network, 'commit');
  const before = await read(crowded);
  expect(await advance(crowded)).toEqual({ waitMs: 0, isCrowded: true });
  expect(await read(crowded)).toEqual(before);
  expect(network.calls).toEqual(fewestCalls);

  expect(await advance(other)).toEqual({ waitMs: null });
  expect(await advance(crowded, { mayCrowd: true })).toEqual({ waitMs: null });
  answer();
  expect(await first).toEqual({ waitMs: null });
  expect(network.calls).toEqual({ ...noCalls, prepare: 3, commit: 3 });
});

test('a target takes up a place for a call even while another process makes that call', async () => {
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  await using network = await startSlowNetwork({ commit: [{ until }] });
  const { projectId, resultId } = await addTarget(database.db);
  const input = { resultId, run: targetRun };
  const owned = advanceTarget(createProcess(database.db, network), input);
  await waitForCall(network, 'commit');
  const places = createCallPlaces(2);
  const waiting = advanceTarget({ ...createProcess(database.db, network), places }, input);
  const probe = () => {
    using place = places.acquire(projectId);
    return place !== undefined;
  };
  await expect.poll(probe).toBe(false);
  answer();
  expect(await Promise.all([owned, waiting])).toEqual([{ waitMs: null }, { waitMs: null }]);
  expect(probe()).toBe(true);
});
