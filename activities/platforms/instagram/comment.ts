// A comment under a post. On Instagram, Fanfare's replies and first comments are such comments.
import { z } from 'zod';
import { toComparable } from '../lost-posts.ts';
import { GraphId, Made } from '../meta/ids.ts';
import { Timestamp } from '../meta/lists.ts';
import { urlEncoded } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import type { CommitOutcome, ReconcileOutcome, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { listSince } from './lists.ts';
import { isMissing } from './post.ts';

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media/comments */
const Comment = z.object({
  id: GraphId,
  text: z.string().default(''),
  timestamp: Timestamp,
  from: z.object({ id: GraphId }).optional(),
});

/** Instagram gives comments no address. */
const toPublished = (id: string) => publishedAs(id, null, null);

export async function postComment(
  ask: Ask,
  replyTo: string,
  { caption }: Target,
): Promise<CommitOutcome> {
  const upload = urlEncoded({ message: caption.toWellFormed() });
  try {
    const { body } = await ask(`/${replyTo}/comments`, Made, { upload, kind: 'commit' });
    return toPublished(body.id);
  } catch (error) {
    // Fanfare has just published the post, so some of Instagram's servers may not know it yet.
    if (!isMissing(error)) throw error;
    throw error.as('unavailable');
  }
}

/**
 * Two equal comments prove nothing. An equal comment with another ID in `from` proves nothing either, because
 * that ID may be the account's ID for this app.
 * https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-comment
 */
export async function findComment(
  ask: Ask,
  replyTo: string,
  target: Target,
): Promise<ReconcileOutcome> {
  const { caption, externalAccountId } = target;
  const path = `/${replyTo}/comments`;
  const fields = 'id,text,timestamp,from';
  const { items, isComplete } = await listSince(ask, path, Comment, fields, target);
  const equal = items.filter(({ text }) => toComparable(text) === toComparable(caption));
  const [found, ...others] = equal.filter(
    ({ from }) => (from?.id ?? externalAccountId) === externalAccountId,
  );
  if (found && others.length === 0) return toPublished(found.id);
  return { outcome: isComplete && equal.length === 0 ? 'absent' : 'unknown' };
}
