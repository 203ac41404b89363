// Reads that many targets share.
import { expect, test } from 'vitest';
import { createGroupedReads } from '../../../activities/publishing/grouped-reads.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addMedia } from '../../support/rows/media.ts';
import { addProject } from '../../support/rows/rows.ts';
import { watchStatements } from '../../support/rows/statements.ts';
import { addTarget, getResult } from '../../support/rows/targets.ts';

const database = useDatabase();

test('targets that read together share a statement, and each gets its own row', async () => {
  const targets = await Promise.all(Array.from({ length: 20 }, () => addTarget(database.db)));
  const ids = targets.map(({ resultId }) => resultId);
  const rows = await Promise.all(ids.map((id) => getResult(database.db, id)));
  const accountIds = rows.map((row) => row.social_account_id);
  await database.db
    .updateTable('social_accounts')
    .set({ status: 'disconnected', grant_id: null })
    .where('id', '=', accountIds[1]!)
    .execute();
  const reads = createGroupedReads(database.db);
  using statements = watchStatements();
  const found = await Promise.all([...ids, 'res_unknown', ids[0]!].map(reads.target));
  expect(found.map((row) => row?.id)).toEqual([...ids, undefined, ids[0]]);
  expect(statements.sent.map(({ name }) => name)).toEqual(['find_targets']);
  const logins = found.slice(0, ids.length).map((row) => row!.login?.account_id);
  expect(logins).toEqual([accountIds[0], undefined, ...accountIds.slice(2)]);
});

test('targets that read their media together share a statement', async () => {
  const reads = createGroupedReads(database.db);
  const projectId = await addProject(database.db);
  const [first, second] = await Promise.all([
    addMedia(database.db, projectId),
    addMedia(database.db, projectId),
  ]);
  using statements = watchStatements();
  const found = await Promise.all([
    reads.media([first, second]),
    reads.media([second, 'med_gone']),
    reads.media([]),
  ]);
  const idsOf = found.map((rows) => rows.map(({ id }) => id));
  expect(idsOf).toEqual([[first, second], [second], []]);
  expect(statements.sent.map(({ name }) => name)).toEqual(['list_media']);
});

test('a later read sees later changes', async () => {
  const { resultId } = await addTarget(database.db);
  const reads = createGroupedReads(database.db);
  expect(await reads.target(resultId)).toMatchObject({ caption: null });
  const own = { caption: 'Edited' };
  await database.db.updateTable('post_results').set(own).where('id', '=', resultId).execute();
  expect(await reads.target(resultId)).toMatchObject(own);
});
