// A published post in the form that a connector gets. In an edit, it has the new content.
import type { ChangingTarget } from '../../schema/database/posts/result-changes.ts';
import { mediaOf, optionsOf } from '../../schema/database/posts/targets.ts';
import type { Access } from '../logins/credentials.ts';
import type { PublishedPost } from '../platforms/platform.ts';

export function toPublishedPost(row: ChangingTarget, access: Access): PublishedPost {
  const { caption, platform_options: options, alt_texts: altTexts = {} } = row.change.content ?? {};
  const { externalAccountId, credentials, traits } = access;
  return {
    resultId: row.id,
    externalAccountId,
    externalId: row.external_id!,
    caption: caption ?? row.caption ?? row.post_caption,
    altTexts: mediaOf(row).map(({ id, alt_text }) => altTexts[id ?? ''] ?? alt_text),
    replyTo: row.in_reply_to ?? row.answered_external_id,
    platformOptions: optionsOf({
      ...row,
      platform_options: { ...row.platform_options, ...options },
    }),
    credentials,
    traits,
  };
}
