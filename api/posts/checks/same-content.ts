// Warns of a post that was accepted already: often a request that was sent again without an idempotency key.
import { createHash } from 'node:crypto';
import { findSameContent } from '../../../schema/database/posts/same-content.ts';
import type { Db, MediaItem } from '../../../schema/database/tables.ts';
import { warning, type TargetIssue } from './target-issues.ts';
import type { FoundMedia } from './media.ts';
import type { RequestTarget } from './request-targets.ts';

/** Hash of everything that makes the same post, as the database stores it: `\x` and hex. */
export function hashContent(
  { own }: RequestTarget,
  caption: string,
  items: readonly MediaItem[],
  found: FoundMedia,
): string {
  const media = items.map(({ id, url }) => found.get(id ?? '')?.sha256 ?? id ?? url);
  const { platform_options = {}, in_reply_to = null, thread_position = null } = own;
  const content = [caption, media, platform_options, in_reply_to, thread_position];
  return `\\x${createHash('sha256').update(JSON.stringify(content)).digest('hex')}`;
}

export interface HashedTarget {
  target: RequestTarget;
  hash: string;
}

export async function warnOfSameContent(
  db: Db,
  projectId: string,
  hashed: HashedTarget[],
): Promise<TargetIssue[]> {
  if (hashed.length === 0) return [];
  const contents = hashed.map(({ target, hash }) => ({ accountId: target.accountId, hash }));
  const same = await findSameContent(db, projectId, contents);
  const message =
    'The account was given the same content within the last 24 hours. An idempotency key makes a repeat safe.';
  return hashed
    .filter(({ target }) => same.has(target.accountId))
    .map(({ target }) => {
      return warning({ path: target.path, code: 'repeated_content', message }, target);
    });
}
