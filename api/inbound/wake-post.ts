// Makes the next poll of a post due, because its network reports news of it.
import type { NetworkUser } from '../../schema/database/accounts/network-users.ts';
import { openState } from '../../schema/database/posts/provider-state.ts';
import {
  listPolledTargets,
  wakeTarget,
} from '../../schema/database/posts/after-publishing/waking.ts';
import type { Context } from '../http/context.ts';

/** Does nothing if no target of the user waits for this post. */
export async function wakePost(
  { db, notifier, vault, platforms, log }: Context,
  user: NetworkUser,
  eventId: string,
): Promise<void> {
  const platform = platforms.get(user.app.platform);
  if (!platform?.eventIdOf) return;
  for (const target of await listPolledTargets(db, user)) {
    if (platform.eventIdOf(openState(vault, target)) !== eventId) continue;
    if (!(await wakeTarget(db, notifier, target))) continue;
    log.debug({ component: 'inbound', result_id: target.id }, 'an event wakes a poll');
  }
}
