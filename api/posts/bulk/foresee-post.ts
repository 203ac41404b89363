// The dry run of one post: checks it as its creation would, and creates nothing.
import { monthOf } from '../../../schema/database/accounts/usage.ts';
import type { CreatePost, PostIssue } from '../../../schema/posts/posts.ts';
import type { Names } from '../../../schema/wire/names.ts';
import type { Caller, Context } from '../../http/context.ts';
import type { Answer } from '../../http/transact.ts';
import { idsOfAccounts, planPost } from '../checks/check-post.ts';
import { warnOfSameContent } from '../checks/same-content.ts';
import { presentIssue } from '../checks/target-issues.ts';
import { requireRoom } from '../count-usage.ts';
import { statusOf } from '../create-post.ts';
import { queueFull } from '../queues/take-slot.ts';
import { warnOfSlot } from '../queues/warnings.ts';

/** Answers with the warnings. Throws as the creation would. */
export async function foreseePost(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names,
): Promise<Answer<PostIssue[]>> {
  const planned = await planPost(context, caller, input, names);
  const { targets, status, time, queue: choice, warnings } = planned;
  const { db } = context;
  if (choice && !choice.slot) throw queueFull();
  if (status !== 'draft') {
    const publishAt = choice?.slot?.at ?? time.at ?? new Date();
    await requireRoom(context, caller, targets, monthOf(publishAt));
  }
  const ofSlot = choice?.slot
    ? await warnOfSlot(db, caller, choice.queue, choice.slot, idsOfAccounts(targets))
    : [];
  const accounts = new Map(targets.map(({ account }) => [account.id, account]));
  const repeated = await warnOfSameContent(db, caller.projectId, targets);
  const shown = [...ofSlot, ...repeated].map((issue) => presentIssue(issue, accounts, names));
  return { status: statusOf(planned), data: [...warnings, ...shown] };
}
