// Checks an account of a simulated network until the check ends, as the workflow does but without its timers.
import { setTimeout as sleep } from 'node:timers/promises';
import { advanceCheck } from '../../../activities/checks/advance-check.ts';
import type { CheckDependencies } from '../../../activities/checks/dependencies.ts';
import { listSteps } from '../../../activities/checks/steps.ts';
import type { PublicUrls } from '../../../activities/platforms/public-urls.ts';
import type { AccountCheckRow, Db } from '../../../schema/database/tables.ts';
import type { SimulatedNetwork } from '../networks/network.ts';
import { addAccount, dependenciesOf } from '../networks/posting.ts';
import { createClient } from '../receivers/loopback.ts';
import { addCheck as addCheckRow } from '../rows/checks.ts';
import { addProject } from '../rows/rows.ts';

export type CheckedNetwork = Pick<SimulatedNetwork, 'platform' | 'connection' | 'app' | 'options'>;

export interface AddedCheck {
  projectId: string;
  accountId: string;
  checkId: string;
}

/** Adds a check of a new account. */
export async function addCheck(
  db: Db,
  network: CheckedNetwork,
  { publishes = false } = {},
): Promise<AddedCheck> {
  const projectId = await addProject(db);
  const accountId = await addAccount(db, projectId, network);
  const { platform, connection } = network;
  const { traits = {}, scope } = connection;
  const check = await addCheckRow(
    db,
    { projectId, accountId },
    {
      platform: platform.definition.name,
      publishes,
      steps: JSON.stringify(listSteps(platform, publishes, { traits, scope })),
    },
  );
  return { projectId, accountId, checkId: check!.id };
}

export function checkDependencies(
  db: Db,
  network: CheckedNetwork,
  publicUrls: Pick<PublicUrls, 'urlOf'>,
): CheckDependencies {
  return { ...dependenciesOf(db, network), publicUrls, safeFetch: createClient() };
}

/** Waits when the activity asks for it, but only for a short time. */
export async function takeToEnd(
  dependencies: CheckDependencies,
  checkId: string,
): Promise<AccountCheckRow> {
  for (let i = 0; i < 200; i++) {
    const waitMs = await advanceCheck(dependencies, { checkId });
    if (waitMs === null) return readCheck(dependencies.db, checkId);
    await sleep(Math.min(waitMs, 5));
  }
  throw new Error('The check does not end.');
}

export function readCheck(db: Db, checkId: string): Promise<AccountCheckRow> {
  return db
    .selectFrom('account_checks')
    .selectAll()
    .where('id', '=', checkId)
    .executeTakeFirstOrThrow();
}

/** Statuses by the names of the steps, such as `{login: 'passed', …}`. */
export const statusesOf = ({ steps }: Pick<AccountCheckRow, 'steps'>): Record<string, string> =>
  Object.fromEntries(steps.map(({ name, status }) => [name, status]));
