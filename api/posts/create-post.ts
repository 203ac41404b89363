// Creates a post: checks it first, then inserts it with its targets and the outbox row of its workflow.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { publishPostRow, type NewOutboxRow } from '../../schema/database/outbox.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import type { NewKey } from '../../schema/database/idempotency-keys.ts';
import { insertPost, isUndone, KeyTaken } from '../../schema/database/posts/insert-post.ts';
import { toNewRows, type NewPost, type NewResult } from '../../schema/database/posts/new-rows.ts';
import { toScheduledEvent } from '../../schema/database/posts/outcome-event.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { MediaItem } from '../../schema/database/tables.ts';
import { inStatement } from '../../schema/database/transaction.ts';
import { isSent } from '../../schema/event-types.ts';
import type { CheckedPost, CreatePost, PostIssue } from '../../schema/posts/posts.ts';
import { restNames, type Names } from '../../schema/wire/names.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Caller, Context } from '../http/context.ts';
import {
  actorOf,
  hasLostRace,
  refuseAnswered,
  toAnsweredKey,
  transact,
  type Answer,
  type Effects,
} from '../http/transact.ts';
import { idsOfAccounts, planPost, type PlannedPost } from './checks/check-post.ts';
import type { QueueChoice } from './checks/queue.ts';
import { checkDeadline } from './checks/schedule.ts';
import { warnOfRepeated, warnOfSameContent } from './checks/same-content.ts';
import { presentIssue, type TargetIssue } from './checks/target-issues.ts';
import { settleUsage } from './count-usage.ts';
import { attachNewMedia, createMediaIds, hasMedia } from './attach-media.ts';
import { requireMayCreate } from './only-drafts.ts';
import { presentPost } from './presenter.ts';
import { lockOpenQueue, takeSlot } from './queues/take-slot.ts';
import { warnOfSlot } from './queues/warnings.ts';
import { toResultRows } from './result-rows.ts';

/** 202 for publish-now; 201 for a draft or a scheduled post. Throws Replayed for a repeat. */
export async function createPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names = restNames,
): Promise<Answer<CheckedPost>> {
  requireMayCreate(caller, input);
  try {
    const planned = await planPost(context, caller, input, names);
    return await writePost(
      context,
      caller,
      await findRepeats(context, caller, planned, names),
      names,
    );
  } catch (error) {
    // A repeat gets the stored answer even if the request would now be refused.
    if (error instanceof AppError || error instanceof KeyTaken) {
      await refuseAnswered(context, caller);
    }
    throw error;
  }
}

/**
 * A key is stored with its answer, so what the insertion finds can't be part of that answer. For an automatic
 * key, the same content is found before.
 */
async function findRepeats(
  { db }: Context,
  caller: Caller,
  planned: PlannedPost,
  names: Names,
): Promise<PlannedPost> {
  if (!caller.idempotency?.isAutomatic) return planned;
  const { targets } = planned;
  const found = presentIssues(
    targets,
    await warnOfSameContent(db, caller.projectId, targets),
    names,
  );
  return { ...planned, warnings: [...planned.warnings, ...found] };
}

/**
 * One statement suffices, unless an event is due, an account has reached its limit, media are attached, or the post
 * takes a slot of a queue. Then the same statement is part of a transaction.
 */
async function writePost(
  context: Context,
  caller: Caller,
  planned: PlannedPost,
  names: Names,
): Promise<Answer<CheckedPost>> {
  const { config, db, notifier } = context;
  const { idempotency: _, ...unkeyed } = caller;
  const { queue } = planned;
  if (queue) {
    return transact(context, unkeyed, async (effects) => {
      const timed = await giveSlot(context, effects, caller, { planned, queue, names });
      return insertWith(context, effects, caller, prepareRows(context, caller, timed, names));
    });
  }
  const prepared = prepareRows(context, caller, planned, names);
  const { post, results, written, asked, key, toAnswer } = prepared;
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
  return transact(context, unkeyed, (effects) => insertWith(context, effects, caller, prepared));
}

interface Prepared extends Rows {
  planned: PlannedPost;
  /** The rows as they are after the insertion. */
  written: PostWithResults;
  key: NewKey | undefined;
  toAnswer: (repeated: readonly string[]) => Answer<CheckedPost>;
}

function prepareRows(
  context: Context,
  caller: Caller,
  planned: PlannedPost,
  names: Names,
): Prepared {
  const rows = toRows(caller, planned);
  const written = toNewRows(rows.post, rows.results);
  const status = statusOf(planned);
  const shown = presentPost(context, written.post, written.results);
  const toAnswer = (repeated: readonly string[]): Answer<CheckedPost> => {
    const { targets } = planned;
    const found = presentIssues(targets, warnOfRepeated(targets, repeated), names);
    const warnings = [...planned.warnings, ...found];
    return { status, data: { ...shown, warnings } };
  };
  // The insertion doesn't compare the content of a request with a key, so its answer is known already.
  const key = toAnsweredKey(context, caller, toAnswer([]));
  return { ...rows, planned, written, key, toAnswer };
}

async function insertWith(
  context: Context,
  effects: Effects,
  caller: Caller,
  { planned, post, results, asked, fetches, written, key, toAnswer }: Prepared,
): Promise<Answer<CheckedPost>> {
  const { trx } = effects;
  const { usages, repeated } = await insertPost(trx, post, results, { asked, key });
  await settleUsage(context, effects, caller, planned.targets, usages!);
  if (hasMedia(written)) await attachNewMedia(trx, caller, written, fetches);
  if (planned.status === 'scheduled')
    await recordEvent(trx, toScheduledEvent(written), context.config);
  return toAnswer(repeated);
}

interface SlotRequest {
  planned: PlannedPost;
  queue: QueueChoice;
  names: Names;
}

/** Takes a slot for the post. It isn't the slot that the checks saw if another request has taken that one. */
async function giveSlot(
  context: Context,
  effects: Effects,
  caller: Caller,
  { planned, queue: choice, names }: SlotRequest,
): Promise<PlannedPost> {
  const { trx } = effects;
  const { id, targets, publishBy } = planned;
  const queue = await lockOpenQueue(trx, caller, choice.queue.id);
  const request = { queue, postId: id, position: choice.position };
  const slot = await takeSlot(context, effects, caller, request);
  const late = checkDeadline(publishBy, slot.at);
  if (late.length > 0) throw validationError(late);
  const found = await warnOfSlot(trx, caller, queue, slot, idsOfAccounts(targets));
  const warnings = found.map((issue) => presentIssue(issue, new Map(), names));
  return {
    ...planned,
    time: { at: slot.at, schedule: null },
    warnings: [...planned.warnings, ...warnings],
  };
}

/** HTTP status of the answer. */
export const statusOf = ({ status }: Pick<PlannedPost, 'status'>) =>
  status === 'pending' ? 202 : 201;

function presentIssues(
  targets: PlannedPost['targets'],
  issues: readonly TargetIssue[],
  names: Names,
): PostIssue[] {
  const accounts = new Map(targets.map(({ account }) => [account.id, account]));
  return issues.map((issue) => presentIssue(issue, accounts, names));
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
  const { id, caption, autoFit, metadata, labels, status, time, publishBy, queueId } = planned;
  const { at: scheduledAt, schedule } = time;
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
      queue_id: queueId,
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
