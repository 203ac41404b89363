// A comment under a post. On LinkedIn, Fanfare's replies and first comments are such comments.
import { z } from 'zod';
import { earliestOf, toComparable } from '../lost-posts.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { CommitOutcome, ReconcileOutcome, Target } from '../platform.ts';
import { toUnexpectedAnswer } from '../refusal.ts';
import { publishedAs } from '../results.ts';
import { network } from './client.ts';

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api */
const Created = z.object({ commentUrn: z.string().optional() }).catch({});

const Comment = z.object({
  id: z.string(),
  commentUrn: z.string().optional(),
  actor: z.string(),
  message: z.object({ text: z.string() }),
  created: z.object({ time: z.number() }),
});
const Page = z.object({ elements: z.array(Comment) });

const pageSize = 100;

const pathOf = (replyTo: string) => `/socialActions/${encodeURIComponent(replyTo)}/comments`;

/** LinkedIn documents no address of a comment. */
const toPublished = (urn: string) => publishedAs(urn, null, null);

const toUrn = (replyTo: string, id: string, urn: string | undefined) =>
  urn ?? `urn:li:comment:(${replyTo},${id})`;

export async function postComment(
  rest: Ask,
  replyTo: string,
  { externalAccountId: actor, caption }: Target,
): Promise<CommitOutcome> {
  const json = { actor, object: replyTo, message: { text: caption.toWellFormed() } };
  const answer = await rest(pathOf(replyTo), Created, { kind: 'commit', json });
  const id = answer.headers.get('x-restli-id');
  const { commentUrn } = answer.body;
  if (!id && !commentUrn) throw toUnexpectedAnswer(network, 'commit');
  return { ...toPublished(toUrn(replyTo, id ?? '', commentUrn)), throttle: answer.throttle };
}

/**
 * Searches the comments of the post. This needs `r_organization_social_feed`. The comments of a member can't be
 * searched, because LinkedIn grants `r_member_social_feed` to few. Two equal comments prove nothing.
 */
export async function findComment(
  rest: Ask,
  replyTo: string,
  target: Target,
): Promise<ReconcileOutcome> {
  const { externalAccountId: actor, caption } = target;
  if (!actor.startsWith('urn:li:organization:')) return { outcome: 'unknown' };
  const query = { start: 0, count: pageSize };
  const page = await rest(pathOf(replyTo), Page, { query }).catch(withoutAccess);
  if (!page) return { outcome: 'unknown' };
  const { elements } = page.body;
  const [found, ...others] = elements.filter(
    ({ actor: author, message, created }) =>
      author === actor &&
      created.time >= earliestOf(target) &&
      toComparable(message.text) === toComparable(caption),
  );
  if (found && others.length === 0) {
    return toPublished(toUrn(replyTo, found.id, found.commentUrn));
  }
  return { outcome: !found && elements.length < pageSize ? 'absent' : 'unknown' };
}

/** Ignores a refusal of the read, because the login may comment but not read. */
export function withoutAccess(error: unknown): undefined {
  const status = error instanceof PlatformError && error.options.providerError?.['status'];
  if (status !== 403) throw error;
}
