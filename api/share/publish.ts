// Publishes a post as its creator reviewed it, or schedules it: once for each link.
import { lockPostWithResults } from '../../schema/database/posts/changes.ts';
import { useReviewLink } from '../../schema/database/posts/review-links.ts';
import type { PostRow } from '../../schema/database/tables.ts';
import { UpdatePost } from '../../schema/posts/changes.ts';
import { restNames } from '../../schema/wire/names.ts';
import type { Context } from '../http/context.ts';
import { PageError } from '../http/pages/texts.ts';
import { transact } from '../http/transact.ts';
import { validate } from '../http/validation.ts';
import { startPost } from '../posts/publish-post.ts';
import { isWaiting, toTargetInput } from '../posts/stored-post.ts';
import { changePost } from '../posts/update-post.ts';
import { findTargetOf, timeOf, type Offer, type Review } from './review.ts';
import { requireDisclosed, toOptions, type Values } from './values.ts';

/** The time of a draft as a request has it. */
function scheduleOf({ scheduled_at, schedule }: PostRow) {
  if (!schedule) return { scheduled_at: scheduled_at!.toISOString() };
  const { local, timezone } = schedule;
  return { schedule: { local, timezone } };
}

/**
 * Does nothing if the link was used, or if the post has started without it. `revision`: of the post that the creator
 * saw.
 */
export async function publishReviewed(
  context: Context,
  { link, scope }: Review,
  offer: Offer,
  { values, revision }: { values: Values; revision: string },
): Promise<void> {
  requireDisclosed(values);
  const { post_id: id } = link;
  const names = restNames;
  const actor = { type: 'user', id: offer.externalUserId, name: null } as const;
  await transact(context, { projectId: scope.projectId, actor }, async (effects) => {
    const done = { status: 200, data: null };
    const stored = await lockPostWithResults(effects.trx, scope, id);
    if (!isWaiting(stored.post)) return done;
    const acceptedAt = await useReviewLink(effects.trx, scope.projectId, link.id);
    if (!acceptedAt) return done;
    const target = findTargetOf(link, stored);
    if (!target || String(stored.post.revision) !== revision) {
      throw new PageError('conflict', ({ share }) => share.failures.changed);
    }
    const platform_posts = toTargetInput(stored).platform_posts!.map((given, i) =>
      i === target.index
        ? {
            ...given,
            caption: values.caption,
            platform_options: toOptions(values, offer, target.result.platform_options, acceptedAt),
          }
        : given,
    );
    const time = timeOf(context, stored);
    const isNewTime = time !== null && stored.post.status === 'draft';
    const changes = validate(UpdatePost, {
      platform_posts,
      ...(isNewTime && scheduleOf(stored.post)),
    });
    await changePost(context, effects, scope, { id, changes, names });
    if (time === null) await startPost(context, effects, scope, { id, names });
    effects.audit({ subject: 'review_link', subject_id: link.id, kind: 'updated' });
    return done;
  });
}
