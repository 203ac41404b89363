// A network that refuses a post because it has not approved the app proves that.
import { expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { putApp } from '../../../../schema/database/accounts/apps.ts';
import type { PostingErrorCode } from '../../../../schema/posts/errors.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { addGrant } from '../../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../../support/rows/rows.ts';
import { addAccountOf, addTargets, targetRun } from '../../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();

test.each<[PostingErrorCode, string]>([
  ['app_not_approved', 'unaudited'],
  ['permission_missing', 'unknown'],
])('a post that fails with %s leaves the app %s', async (failsAs, approval) => {
  const { db } = database;
  const projectId = await addProject(db);
  const app = { platform: 'sandbox', clientId: 'client', clientSecret: 's' } as const;
  const { id } = await putApp(db, projectId, rowsVault, app);
  const grantId = await addGrant(db, { projectId, appId: id });
  const { resultIds } = await addTargets(db, await addAccountOf(db, projectId, grantId, 'ada'));
  network.script = [new PlatformError('rejected', 'No.', { failsAs })];
  const resultId = resultIds[0]!;
  await advanceTarget(dependenciesOf(db, network), { resultId, run: targetRun });
  const result = await db
    .selectFrom('post_results')
    .select('error_code')
    .where('id', '=', resultId)
    .executeTakeFirst();
  expect(result?.error_code).toBe(failsAs);
  const read = db.selectFrom('platform_apps').select('approval').where('id', '=', id);
  expect(await read.executeTakeFirst()).toEqual({ approval });
});
