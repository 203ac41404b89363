// The hash of a target's content, by which a repeat is found.
import { createHash } from 'node:crypto';
import type { MediaItem } from '../../../schema/database/tables.ts';
import { findLinkThumb, withLinkThumb } from '../../../schema/platforms/link-thumb.ts';
import type { FoundMedia } from './media.ts';
import type { RequestTarget } from './request-targets.ts';

/**
 * Hash of everything that makes the same post of one account, as the database stores it: `\x` and hex. Half
 * of a SHA-256 suffices for a warning, and keeps its index small.
 */
export function hashContent(
  { accountId, own }: RequestTarget,
  caption: string,
  items: readonly MediaItem[],
  found: FoundMedia,
): string {
  const media = items.map(({ id, url }) => found.get(id ?? '')?.sha256 ?? id ?? url);
  const { platform_options = {}, in_reply_to = null, thread_position = null } = own;
  // The thumb is one of the media.
  const hasThumb = findLinkThumb(platform_options) !== undefined;
  const options = hasThumb ? withLinkThumb(platform_options, undefined) : platform_options;
  const content = [accountId, caption, media, options, in_reply_to, thread_position];
  return `\\x${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)}`;
}
