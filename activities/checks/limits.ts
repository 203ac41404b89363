// Applies limits to the post of a check, too: the limits that networks have reported, and the operator's
// ceilings.
import {
  accountLimitKey,
  appLimitKey,
  appQuotaKey,
  grantLimitKey,
  isBlocked,
  reserveSlot,
} from '../../schema/database/posts/rate-limits.ts';
import { loadAccess } from '../logins/credentials.ts';
import { fail, wait, type CheckRun, type Taken } from './check-run.ts';

/** Undefined: no reported limit prevents the post now. */
export async function refuseIfLimited({
  dependencies,
  check,
  platform,
}: CheckRun): Promise<Taken | undefined> {
  const access = await loadAccess(dependencies, check.social_account_id);
  if (!access) return undefined;
  const app = access.app?.id ?? check.platform;
  const keys = [
    appLimitKey(app),
    appQuotaKey(app),
    grantLimitKey(access.grantId),
    accountLimitKey(check.social_account_id),
  ];
  if (!(await isBlocked(dependencies.db, keys))) return undefined;
  return fail('rate_limited', `${platform.definition.title} takes no posts for now.`);
}

/** Undefined: the operator's ceiling doesn't delay the post. */
export async function waitForSlot({
  dependencies: { db, postsPerMinute = {} },
  check: { platform },
  progress: { hasSlot },
}: CheckRun): Promise<Taken | undefined> {
  const ceiling = postsPerMinute[platform] ?? 0;
  if (hasSlot || ceiling === 0) return undefined;
  const { waitMs } = await reserveSlot(db, appLimitKey(platform), 60_000 / ceiling);
  return waitMs > 0 ? wait(waitMs, { hasSlot: true }) : undefined;
}
