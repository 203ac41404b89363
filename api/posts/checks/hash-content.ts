// The hash of a target's content, by which a repeat is found.
import { createHash } from 'node:crypto';
import { findLinkThumb, withLinkThumb } from '../../../schema/platforms/options/link-thumb.ts';
import type { RequestMedia } from './request-media.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';

/**
 * Hash of all content that must be equal for two posts of one account to count as the same post. It has the
 * form that the database stores: `\x` and hex. Half of a SHA-256 suffices for a warning, and keeps the index
 * of the hashes small.
 */
export function hashContent(
  target: RequestTarget,
  input: TargetInput,
  { ofPost, ofTarget, found }: RequestMedia,
): string {
  const { accountId, own } = target;
  const { platform_options = {}, in_reply_to = null, thread_position = null } = own;
  const { items } = ofTarget.get(target) ?? ofPost;
  const media = items.map(({ id, url }) => found.get(id ?? '')?.sha256 ?? id ?? url);
  // The thumb is already hashed as one of the media.
  const hasThumb = findLinkThumb(platform_options) !== undefined;
  const options = hasThumb ? withLinkThumb(platform_options, undefined) : platform_options;
  const caption = own.caption ?? input.caption;
  const content = [accountId, caption, media, options, in_reply_to, thread_position];
  return `\\x${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)}`;
}
