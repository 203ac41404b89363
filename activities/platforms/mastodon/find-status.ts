// Finds a post among the account's statuses after an unknown outcome. Mastodon stores no ID of ours.
import { z } from 'zod';
import { mastodon } from '../../../schema/platforms/mastodon.ts';
import type { Ask } from '../network-api.ts';
import { uploadedIds } from './media.ts';
import type { ReconcileOutcome, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { serverNow } from '../rate-limit-headers.ts';

/** @see https://docs.joinmastodon.org/entities/Status/ */
const webUrl = z.url({ protocol: /^https?$/ });
export const Status = z.object({
  id: z.string().min(1),
  url: webUrl.nullable().catch(null),
  visibility: z.string().nullable().catch(null),
});

/** By Mastodon's own names: https://docs.joinmastodon.org/entities/Status/#visibility */
const visibilities = new Map<string | null, string>([
  ['public', 'public'],
  ['unlisted', 'unlisted'],
  ['private', 'followers'],
  ['direct', 'private'],
]);

export const toPublished = ({ id, url, visibility }: z.infer<typeof Status>) =>
  publishedAs(id, url, visibilities.get(visibility) ?? null);

const Listed = Status.extend({
  created_at: z.iso.datetime({ offset: true }),
  edited_at: z.string().nullish(),
  in_reply_to_id: z.string().nullish(),
  spoiler_text: z.string(),
  poll: z.object({ options: z.array(z.object({ title: z.string() })) }).nullish(),
  media_attachments: z
    .array(z.object({ id: z.string(), description: z.string().nullish() }))
    .default([]),
});

/** @see https://docs.joinmastodon.org/entities/StatusSource/ */
const Source = z.object({ text: z.string() });

/** The most that a server returns: https://docs.joinmastodon.org/methods/accounts/#statuses */
const pageSize = 40;
/** The `Date` header has whole seconds. */
const clockErrorMs = 1_000;

/** `unknown`: since then, the account has published too many posts, or edited a post that may be this one. */
export async function findStatus(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { externalAccountId, caption, dueAt } = target;
  const accountId = externalAccountId.slice(0, externalAccountId.lastIndexOf('@'));
  const query = { exclude_reblogs: 'true', limit: pageSize };
  const path = `/api/v1/accounts/${accountId}/statuses`;
  const { body: newest, headers } = await ask(path, z.array(Listed), { query });
  const since = dueAt.getTime() + serverNow(headers) - Date.now() - clockErrorMs;
  const recent = newest.filter(({ created_at }) => Date.parse(created_at) >= since);
  let isSure = recent.length < pageSize;
  // The oldest post comes first, since an equal post that a person wrote later comes after it.
  for (const status of recent.filter((status) => mayBe(status, target)).toReversed()) {
    const path = `/api/v1/statuses/${encodeURIComponent(status.id)}/source`;
    const { text } = (await ask(path, Source)).body;
    if (text.trim() === caption.toWellFormed().trim()) return toPublished(status);
    if (status.edited_at) isSure = false;
  }
  return { outcome: isSure ? 'absent' : 'unknown' };
}

/** Compares everything except the text, because a list shows the text as HTML. */
function mayBe(status: z.infer<typeof Listed>, target: Target): boolean {
  const { replyTo, platformOptions } = target;
  const { spoiler_text = '', poll } = mastodon.options.parse(platformOptions);
  const titles = status.poll?.options.map(({ title }) => title);
  return (
    (status.in_reply_to_id ?? null) === replyTo &&
    status.spoiler_text === spoiler_text &&
    JSON.stringify(titles) === JSON.stringify(poll?.options) &&
    hasMediaOf(target, status.media_attachments)
  );
}

/**
 * Compares the IDs of the media. If the IDs were lost with the state, compares the number of media and their
 * alt texts.
 */
function hasMediaOf(
  { media, state }: Target,
  attached: z.infer<typeof Listed>['media_attachments'],
): boolean {
  if (attached.length !== media.length) return false;
  const ids = uploadedIds(state);
  return attached.every(({ id, description }, i) =>
    ids.length === media.length
      ? ids.includes(id)
      : toAltText(description) === toAltText(media[i]!.altText),
  );
}

const toAltText = (text: string | null | undefined) => (text ?? '').replaceAll('\r\n', '\n').trim();
