// Whose calls a reported limit holds: the account's, those of its grant, or those of its app.
import { beforeEach, describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import {
  PlatformError,
  type ThrottleScope,
} from '../../../../activities/platforms/platform-error.ts';
import { putApp } from '../../../../schema/database/accounts/apps.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { addGrant } from '../../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../../support/rows/rows.ts';
import {
  addAccountOf,
  addTargets,
  targetRun,
  type TestAccount,
} from '../../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();
const dependencies = forEachTest(() => dependenciesOf(database.db, network, defaultTargetClock));
beforeEach(async () => {
  await database.db.deleteFrom('rate_limits').execute();
});

/** A tenant with an app of its own, or none, and two grants of two accounts each. */
async function addTenant(clientId?: string): Promise<TestAccount[][]> {
  const { db } = database;
  const projectId = await addProject(db);
  const app = clientId && ({ platform: 'sandbox', clientId, clientSecret: 's' } as const);
  const appId = app ? (await putApp(db, projectId, rowsVault, app)).id : null;
  return Promise.all(
    [0, 1].map(async (n) => {
      const grantId = await addGrant(db, { projectId, appId });
      const add = (name: string) => addAccountOf(db, projectId, grantId, name);
      return [await add(`ada-${n}`), await add(`bob-${n}`)];
    }),
  );
}

async function publish(account: TestAccount): Promise<'published' | 'held'> {
  const { resultIds } = await addTargets(database.db, account);
  const progress = { resultId: resultIds[0]!, run: targetRun };
  const { waitMs } = await advanceTarget(dependencies, progress);
  return waitMs === null ? 'published' : 'held';
}

/** One account reports a limit; which accounts of both tenants are held then? */
async function findHeld(scope: ThrottleScope, clientIds: (string | undefined)[]) {
  const tenants = [await addTenant(clientIds[0]), await addTenant(clientIds[1])];
  network.script = [new PlatformError('rate_limited', 'Slow.', { throttled: scope })];
  expect(await publish(tenants[0]![0]![0]!)).toBe('held');
  const held: string[] = [];
  for (const [tenant, grants] of tenants.entries()) {
    for (const [grant, accounts] of grants.entries()) {
      for (const [account, row] of accounts.entries()) {
        if ((await publish(row)) === 'held') held.push(`${tenant}.${grant}.${account}`);
      }
    }
  }
  return held;
}

const ofTenant = ['0.0.0', '0.0.1', '0.1.0', '0.1.1'];

describe('a limit', () => {
  test.each<[ThrottleScope, string[]]>([
    ['account', ['0.0.0']],
    ['grant', ['0.0.0', '0.0.1']],
    ['app', ofTenant],
  ])('delays the accounts of its %s, but no other tenant', async (scope, held) => {
    expect(await findHeld(scope, ['a', 'b'])).toEqual(held);
  });

  test('of a tenant with an app does not delay a tenant without an app', async () => {
    expect(await findHeld('app', ['a', undefined])).toEqual(ofTenant);
  });

  test('of a tenant without an app does not delay a tenant with an app', async () => {
    expect(await findHeld('app', [undefined, 'b'])).toEqual(ofTenant);
  });

  test('with the scope app delays every account of the network that was connected without an app', async () => {
    const ofOther = ofTenant.map((account) => account.replace(/^0/, '1'));
    expect(await findHeld('app', [])).toEqual([...ofTenant, ...ofOther]);
  });

  test('that comes with a published post delays the other account of its grant', async () => {
    const [[ada, bob], [eve]] = (await addTenant('a')) as [TestAccount[], TestAccount[]];
    network.throttle = { scope: 'grant', waitMs: 60_000 };
    expect(await publish(ada!)).toBe('published');
    expect(await publish(bob!)).toBe('held');
    expect(await publish(eve!)).toBe('published');
  });
});
