// All checks of a post before it is written: to create it, or only to validate it.
import { monthOf } from '../../../schema/database/accounts/usage.ts';
import { readTime } from '../../../schema/database/database-clock.ts';
import { findQueue } from '../../../schema/database/queues/queues.ts';
import type { AppError } from '../../../schema/wire/errors.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { restNames, type Names } from '../../../schema/wire/names.ts';
import type { MediaItem } from '../../../schema/database/tables.ts';
import type {
  CreatePost,
  PostIssue,
  PostStatus,
  PostValidation,
} from '../../../schema/posts/posts.ts';
import type { Caller, Context } from '../../http/context.ts';
import { isAutomatic } from '../../http/idempotency.ts';
import { foreseeExcess } from '../count-usage.ts';
import {
  error,
  presentIssue,
  requireWarnings,
  warning,
  type TargetIssue,
} from './target-issues.ts';
import { warnOfSameContent } from './same-content.ts';
import { queueFull, queuePaused, requireOpen, unknownQueue } from '../queues/take-slot.ts';
import { warnOfSlot } from '../queues/warnings.ts';
import { checkQueueFields, chooseSlot, type QueueChoice } from './queue.ts';
import {
  checkDeadline,
  checkSchedule,
  planTime,
  toTime,
  warnOfAdjustment,
  type PlannedTime,
} from './schedule.ts';
import { checkTargets, type CheckedTargets, type PlannedTarget } from './targets.ts';

/** A post whose every part has been checked. */
export interface PlannedPost extends Pick<CreatePost, 'caption' | 'metadata' | 'labels'> {
  /** ID of the new post. */
  id: string;
  media: readonly MediaItem[];
  autoFit: boolean;
  /** Issues that don't refuse the post. The insert can add more. */
  warnings: PostIssue[];
  status: Extract<PostStatus, 'draft' | 'scheduled' | 'pending'>;
  time: PlannedTime;
  publishBy: Date | null;
  queueId: string | null;
  /** Null: the post takes no slot of a queue. Otherwise it gets its time when it takes the slot. */
  queue: QueueChoice | null;
  targets: PlannedTarget[];
  /** The time of the database. */
  checkedAt: Date;
}

/** Throws one error with all issues. */
export async function planPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names,
): Promise<PlannedPost> {
  const checked = await checkPost(context, caller, input);
  const { issues, accounts, media, targets, queue } = checked;
  const warnings = requireWarnings(issues, accounts, names);
  if (queue) requireOpen(queue.queue);
  const { caption, metadata, labels, auto_fit: autoFit = true, queue_id: queueId = null } = input;
  const time = planTime(input);
  const publishBy = toTime(input.publish_by);
  const status = input.status ?? (time.at || queue ? 'scheduled' : 'pending');
  // Only a draft names no account.
  const checkedAt = checked.checkedAt ?? (await readTime(context.db));
  return {
    id: newId('post'),
    caption,
    media,
    autoFit,
    metadata,
    labels,
    status,
    time,
    publishBy,
    queueId,
    queue,
    targets,
    warnings,
    checkedAt,
  };
}

/** Reports the issues that creating this post would raise. */
export async function validatePost(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names = restNames,
): Promise<PostValidation> {
  const checked = await checkPost(context, caller, input);
  const { issues, accounts, targets } = checked;
  const excess = await checkUsage(context, caller, input, checked);
  const repeated = await warnOfSameContent(context.db, caller.projectId, targets);
  const ofSlot = await checkSlot(context, caller, checked);
  const shown = [...issues, ...ofSlot, ...repeated, ...excess].map((issue) =>
    presentIssue(issue, accounts, names),
  );
  const errors = shown.filter(({ severity }) => severity === 'error');
  const warnings = shown.filter(({ severity }) => severity === 'warning');
  return { valid: errors.length === 0, errors, warnings };
}

/**
 * Checks the monthly limits for a validation. A creation counts its targets in its transaction, so two posts
 * can't both take the last place.
 */
async function checkUsage(
  context: Context,
  caller: Caller,
  input: CreatePost,
  { targets, publishAt }: CheckedPost,
): Promise<TargetIssue[]> {
  if (input.status === 'draft' || targets.length === 0) return [];
  const month = monthOf(publishAt);
  const excess = await foreseeExcess(context, caller, targets, month);
  return excess.map((issue) => {
    const { index, account } = targets.find(({ path }) => path === issue.path)!;
    return error(issue, { index, accountId: account.id });
  });
}

/** What taking the slot would report. */
async function checkSlot(
  { db }: Context,
  caller: Caller,
  { queue: choice, targets }: CheckedPost,
): Promise<TargetIssue[]> {
  if (!choice) return [];
  const { queue, slot } = choice;
  const refuse = ({ code, text }: AppError) => [error({ path: ['queue_id'], code, message: text })];
  if (queue.is_paused) return refuse(queuePaused());
  if (!slot) return refuse(queueFull());
  return warnOfSlot(db, caller, queue, slot, idsOfAccounts(targets));
}

/** The accounts that the targets publish to. */
export const idsOfAccounts = (targets: readonly PlannedTarget[]) =>
  targets.map(({ account }) => account.id);

interface CheckedPost extends CheckedTargets {
  publishAt: Date;
  /** Null: the post takes no slot, also because it is a draft. */
  queue: QueueChoice | null;
}

async function checkPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<CheckedPost> {
  const { db } = context;
  const { queue_id } = input;
  const queue = queue_id === undefined ? undefined : await findQueue(db, caller, queue_id);
  if (queue_id !== undefined && !queue) {
    return { ...nothing, issues: [error(unknownQueue)], queue: null };
  }
  const isDraft = input.status === 'draft';
  const choice = queue && !isDraft ? await chooseSlot(db, queue, input) : null;
  const publishAt = choice?.slot?.at ?? planTime(input).at ?? new Date();
  const key = input.idempotency_key;
  const isKeyed = caller.idempotency
    ? !caller.idempotency.isAutomatic
    : key !== undefined && !isAutomatic(key);
  const isHashed = !isKeyed && !isDraft;
  const checked = await checkTargets(context, caller, input, {
    publishAt,
    isDraft,
    isHashed,
    queue,
  });
  const times = [
    ...[
      ...checkQueueFields(input),
      ...checkSchedule(context.config, input),
      ...checkDeadline(toTime(input.publish_by), publishAt),
    ].map((issue) => error(issue)),
    ...warnOfAdjustment(input).map((issue) => warning(issue)),
  ];
  return { ...checked, issues: [...times, ...checked.issues], publishAt, queue: choice };
}

const nothing = {
  accounts: new Map<never, never>(),
  media: [],
  targets: [],
  checkedAt: undefined,
  publishAt: new Date(0),
};
