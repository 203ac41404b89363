// Creates a post: checks it first, then inserts it with its targets and the outbox row of its workflow.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { publishPostRow } from '../../schema/database/outbox.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { toPostEventData } from '../../schema/database/posts/outcome-event.ts';
import {
  insertPost,
  type InsertedPost,
  type PostWithResults,
} from '../../schema/database/posts/posts.ts';
import type { Transaction } from '../../schema/database/tables.ts';
import type { CheckedPost, CreatePost, PostIssue } from '../../schema/posts/posts.ts';
import { restNames, type Names } from '../../schema/wire/names.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer, type Effects } from '../http/transact.ts';
import { planPost, type PlannedPost } from './checks/check-post.ts';
import { warnOfRepeated } from './checks/same-content.ts';
import { presentIssue } from './checks/target-issues.ts';
import { settleUsage } from './count-usage.ts';
import { attachPostMedia } from './attach-media.ts';
import { presentPost } from './presenter.ts';
import { toResultRows } from './result-rows.ts';

/** 202 for publish-now; 201 for a draft or a scheduled post. */
export async function createPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names = restNames,
): Promise<Answer<CheckedPost>> {
  const planned = await planPost(context, caller, input, names);
  return transact(context, caller, async (effects) => {
    const written = await writePost(context, effects, caller, planned);
    if (planned.status === 'scheduled') await recordScheduled(context, effects.trx, written);
    const status = planned.status === 'pending' ? 202 : 201;
    const shown = presentPost(context, written.post, written.results);
    const warnings = [...planned.warnings, ...presentRepeated(planned, written.repeated, names)];
    return { status, data: { ...shown, warnings } };
  });
}

function presentRepeated(
  { targets }: PlannedPost,
  accountIds: readonly string[],
  names: Names,
): PostIssue[] {
  const accounts = new Map(targets.map(({ account }) => [account.id, account]));
  return warnOfRepeated(targets, accountIds).map((issue) => presentIssue(issue, accounts, names));
}

/** Throws when an account's monthly limit is exceeded. */
async function writePost(
  context: Context,
  effects: Effects,
  caller: Pick<Caller, 'projectId' | 'environment'>,
  planned: PlannedPost,
): Promise<InsertedPost> {
  const { projectId } = caller;
  const { caption, autoFit, metadata, status, scheduledAt, publishBy } = planned;
  const id = newId('post');
  const run = status === 'draft' ? 0 : 1;
  const request =
    run === 0 ? undefined : publishPostRow(projectId, { postId: id, run }, scheduledAt);
  const usageMonth = run === 0 ? null : monthOf(scheduledAt ?? new Date());
  const owner = { id, projectId, media: planned.media, usageMonth, isDraft: run === 0 };
  const inserted = await insertPost(
    effects.trx,
    {
      id,
      project_id: projectId,
      caption,
      status,
      scheduled_at: scheduledAt,
      publish_by: publishBy,
      media: JSON.stringify(planned.media),
      auto_fit: autoFit,
      metadata: JSON.stringify(metadata),
      current_run: run,
      workflow_id: request?.workflow_id ?? null,
    },
    toResultRows(owner, planned.targets),
    request,
  );
  await settleUsage(context, effects, caller, planned.targets, inserted.usages);
  return { ...inserted, ...(await attachPostMedia(effects.trx, caller, inserted)) };
}

export async function recordScheduled(
  { config }: Context,
  trx: Transaction,
  { post, results }: PostWithResults,
): Promise<void> {
  const data = toPostEventData(post, results);
  const event = {
    projectId: post.project_id,
    environment: post.environment,
    type: 'post.scheduled',
    data,
    postId: post.id,
  } as const;
  await recordEvent(trx, event, config);
}
