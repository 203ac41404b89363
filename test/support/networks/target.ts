// The target that a connector is given for a new post.
import type { Connection, Target } from '../../../activities/platforms/platform.ts';
import { newId } from '../../../schema/wire/ids.ts';

/** A text post of the connected account, with the given changes. */
export function targetOf(
  { externalAccountId, credentials, traits = {} }: Connection,
  change: Partial<Target> = {},
): Target {
  return {
    resultId: newId('result'),
    externalAccountId,
    caption: 'Hello',
    mediaUrls: [],
    replyTo: null,
    platformOptions: {},
    dueAt: new Date(),
    credentials,
    state: {},
    traits,
    ...change,
  };
}
