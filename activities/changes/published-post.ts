// A published post in the form that a connector gets. In an edit, it has the new content.
import { mediaOf, optionsOf, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { ChangedContent } from '../../schema/posts/result-changes.ts';
import type { Access } from '../logins/credentials.ts';
import type { PublishedPost } from '../platforms/platform.ts';

/** `content`: the new content. Null: the content that was published. */
export function toPublishedPost(
  row: TargetRow,
  access: Access,
  content: ChangedContent | null = null,
): Omit<PublishedPost, 'externalId'> {
  const { caption, platform_options: options, alt_texts: altTexts = {} } = content ?? {};
  const { externalAccountId, credentials, traits } = access;
  return {
    resultId: row.id,
    externalAccountId,
    caption: caption ?? row.caption ?? row.post_caption,
    altTexts: mediaOf(row).map(({ id, alt_text }) => altTexts[id ?? ''] ?? alt_text),
    replyTo: row.in_reply_to ?? row.answered_external_id,
    publishedAt: row.published_at,
    platformOptions: optionsOf({
      ...row,
      platform_options: { ...row.platform_options, ...options },
    }),
    credentials,
    traits,
  };
}
