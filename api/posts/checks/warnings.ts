// What does not refuse a post, though its author would rather know it before than after.
import type { Platform } from '../../../activities/platforms/platform.ts';
import type { SocialAccountRow } from '../../../schema/database/tables.ts';
import { warning, type Finding } from './findings.ts';
import type { NamedTarget, TargetInput } from './named-targets.ts';

/** Access that ends before the post is due, where nobody but the user can renew it. */
export function warnOfAccess(
  { name, refresh }: Platform,
  { token_expires_at }: SocialAccountRow,
  target: NamedTarget,
  publishAt: Date,
): Finding[] {
  if (refresh || !token_expires_at || token_expires_at > publishAt) return [];
  const ends = token_expires_at.toISOString();
  const issue = {
    path: target.path,
    code: 'access_expires_first',
    message: `The access to this account ends at ${ends}, before the post is published, and ${name} lets nobody but its user renew it. Let the user connect it again.`,
    actual: ends,
    limit: publishAt.toISOString(),
  };
  return [warning(issue, target)];
}

/** Two parts of a thread with one text: forgotten captions, and refused by many networks. */
export function warnOfRepeats(named: NamedTarget[], input: TargetInput): Finding[] {
  const seen = new Set<string>();
  return named.flatMap((target) => {
    if (target.own.thread_position === undefined) return [];
    const caption = target.own.caption ?? input.caption;
    const key = `${target.accountId} ${caption}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = 'Another part of this thread has the same text.';
    return [warning({ path: `${target.at}caption`, code: 'repeated_text', message }, target)];
  });
}
