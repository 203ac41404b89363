// Looks for a post among the account's own after an unknown outcome: Mastodon keeps nothing of ours with it.
import { z } from 'zod';
import { mastodon } from '../../../schema/platforms/mastodon.ts';
import type { Ask } from '../network-api.ts';
import type { Published, ReconcileOutcome, Target } from '../platform.ts';
import { serverNow } from '../rate-limit-headers.ts';

/** @see https://docs.joinmastodon.org/entities/Status/ */
const webUrl = z.url({ protocol: /^https?$/ });
export const Status = z.object({ id: z.string().min(1), url: webUrl.nullable().catch(null) });

const Listed = Status.extend({
  created_at: z.iso.datetime({ offset: true }),
  edited_at: z.string().nullish(),
  in_reply_to_id: z.string().nullish(),
  spoiler_text: z.string(),
  poll: z.object({ options: z.array(z.object({ title: z.string() })) }).nullish(),
});

/** @see https://docs.joinmastodon.org/entities/StatusSource/ */
const Source = z.object({ text: z.string() });

/** The most that a server gives: https://docs.joinmastodon.org/methods/accounts/#statuses */
const pageSize = 40;
/** The `Date` header has whole seconds. */
const clockErrorMs = 1_000;

export function toPublished({ id, url }: z.infer<typeof Status>): Published {
  return { externalId: id, url };
}

/** `unknown`: the account posted too much since, or edited what may be the post. */
export async function findStatus(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { externalAccountId, caption, dueAt } = target;
  const accountId = externalAccountId.slice(0, externalAccountId.lastIndexOf('@'));
  const path = `/api/v1/accounts/${accountId}/statuses?exclude_reblogs=true&limit=${pageSize}`;
  const { body: newest, headers } = await ask(path, z.array(Listed));
  const since = dueAt.getTime() + serverNow(headers) - Date.now() - clockErrorMs;
  const recent = newest.filter(({ created_at }) => Date.parse(created_at) >= since);
  let isSure = recent.length < pageSize;
  // Oldest first: a twin that somebody posted since comes after it.
  for (const status of recent.filter((status) => mayBe(status, target)).toReversed()) {
    const path = `/api/v1/statuses/${encodeURIComponent(status.id)}/source`;
    const { text } = (await ask(path, Source)).body;
    if (text.trim() === caption.toWellFormed().trim()) {
      return { outcome: 'published', published: toPublished(status) };
    }
    if (status.edited_at) isSure = false;
  }
  return { outcome: isSure ? 'absent' : 'unknown' };
}

/** It matches in all but the text, which is listed as HTML. */
function mayBe(status: z.infer<typeof Listed>, { replyTo, platformOptions }: Target): boolean {
  const { spoiler_text = '', poll } = mastodon.options.parse(platformOptions);
  const titles = status.poll?.options.map(({ title }) => title);
  return (
    (status.in_reply_to_id ?? null) === replyTo &&
    status.spoiler_text === spoiler_text &&
    JSON.stringify(titles) === JSON.stringify(poll?.options)
  );
}
