// Creates a post: checks it first, then inserts it with its targets and the outbox row of its workflow.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { publishPostRow, type NewOutboxRow } from '../../schema/database/outbox.ts';
import { insertPost, isUndone, KeyTaken } from '../../schema/database/posts/insert-post.ts';
import { toNewRows, type NewPost, type NewResult } from '../../schema/database/posts/new-rows.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { toScheduledEvent } from '../../schema/database/posts/outcome-event.ts';
import type { MediaItem } from '../../schema/database/tables.ts';
import { inStatement } from '../../schema/database/transaction.ts';
import { isSent } from '../../schema/event-types.ts';
import type { CheckedPost, CreatePost, PostIssue } from '../../schema/posts/posts.ts';
import { restNames, type Names } from '../../schema/wire/names.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Caller, Context } from '../http/context.ts';
import {
  actorOf,
  hasLostRace,
  refuseAnswered,
  toAnsweredKey,
  transact,
  type Answer,
} from '../http/transact.ts';
import { planPost, type PlannedPost } from './checks/check-post.ts';
import { warnOfRepeated } from './checks/same-content.ts';
import { presentIssue } from './checks/target-issues.ts';
import { settleUsage } from './count-usage.ts';
import { attachNewMedia, createMediaIds, hasMedia } from './attach-media.ts';
import { presentPost } from './presenter.ts';
import { toResultRows } from './result-rows.ts';

/** 202 for publish-now; 201 for a draft or a scheduled post. Throws Replayed for a repeat. */
export async function createPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names = restNames,
): Promise<Answer<CheckedPost>> {
  try {
    return await writePost(context, caller, await planPost(context, caller, input, names), names);
  } catch (error) {
    // A repeat gets the stored answer even if the request would now be refused.
    if (error instanceof AppError || error instanceof KeyTaken) {
      await refuseAnswered(context, caller);
    }
    throw error;
  }
}

/**
 * One statement suffices, unless an event is due, an account has reached its limit, or media are attached.
 * Then the same statement is part of a transaction.
 */
async function writePost(
  context: Context,
  caller: Caller,
  planned: PlannedPost,
  names: Names,
): Promise<Answer<CheckedPost>> {
  const { config, db, notifier } = context;
  const { post, results, asked, fetches } = toRows(caller, planned);
  const written = toNewRows(post, results);
  const status = statusOf(planned);
  const shown = presentPost(context, written.post, written.results);
  const toAnswer = (repeated: readonly string[]): Answer<CheckedPost> => {
    const warnings = [...planned.warnings, ...presentRepeated(planned, repeated, names)];
    return { status, data: { ...shown, warnings } };
  };
  // The content of a request with a key is not compared, so its answer is known already.
  const key = toAnsweredKey(context, caller, toAnswer([]));
  const isScheduledEvent = planned.status === 'scheduled' && isSent('post.scheduled', config);
  if (!hasMedia(written) && !isScheduledEvent) {
    try {
      const { repeated } = await inStatement(db, notifier, (writer) =>
        insertPost(writer, post, results, {
          asked,
          key,
          monthlyLimit: config.monthlyPostsPerAccount,
        }),
      );
      return toAnswer(repeated);
    } catch (error) {
      if (!isUndone(error) && !hasLostRace(error)) throw error;
    }
  }
  const { idempotency: _, ...unkeyed } = caller;
  return transact(context, unkeyed, async (effects) => {
    const { trx } = effects;
    const { usages, repeated } = await insertPost(trx, post, results, { asked, key });
    await settleUsage(context, effects, caller, planned.targets, usages!);
    if (hasMedia(written)) await attachNewMedia(trx, caller, written, fetches);
    if (planned.status === 'scheduled') await recordEvent(trx, toScheduledEvent(written), config);
    return toAnswer(repeated);
  });
}

/** HTTP status of the answer. */
export const statusOf = ({ status }: Pick<PlannedPost, 'status'>) =>
  status === 'pending' ? 202 : 201;

function presentRepeated(
  { targets }: PlannedPost,
  accountIds: readonly string[],
  names: Names,
): PostIssue[] {
  const accounts = new Map(targets.map(({ account }) => [account.id, account]));
  return warnOfRepeated(targets, accountIds).map((issue) => presentIssue(issue, accounts, names));
}

interface Rows {
  post: NewPost;
  results: NewResult[];
  /** The outbox row of its workflow. A draft has none. */
  asked: NewOutboxRow | undefined;
  /** Media that its workflow needs. The URLs of a draft stay URLs. */
  fetches: { id: string; url: string }[];
}

/** The rows that this post will have. */
function toRows(caller: Caller, planned: PlannedPost): Rows {
  const { projectId, environment } = caller;
  const { caption, autoFit, metadata, labels, status, time, publishBy } = planned;
  const { at: scheduledAt, schedule } = time;
  const id = newId('post');
  const isDraft = status === 'draft';
  const { withIds, fetches } = createMediaIds();
  const named = (items: readonly MediaItem[]) => (isDraft ? [...items] : withIds(items));
  const media = named(planned.media);
  const targets = planned.targets.map((target) => {
    return { ...target, media: target.media && named(target.media) };
  });
  const run = isDraft ? 0 : 1;
  const asked = isDraft ? undefined : publishPostRow(projectId, { postId: id, run }, scheduledAt);
  const usageMonth = isDraft ? null : monthOf(scheduledAt ?? new Date());
  return {
    post: {
      id,
      project_id: projectId,
      environment,
      caption,
      status,
      scheduled_at: scheduledAt,
      schedule,
      publish_by: publishBy,
      media,
      auto_fit: autoFit,
      metadata,
      labels,
      created_by: actorOf(caller),
      current_run: run,
      workflow_id: asked?.workflow_id ?? null,
      created_at: planned.checkedAt,
    },
    results: toResultRows({ id, projectId, media, usageMonth, isDraft }, targets),
    asked,
    fetches: fetches(),
  };
}
