// Makes the rows of the steps that follow the publication of targets. A draft has none, because it has no defaults of
// its accounts yet.
import { replaceStepRows } from '../../schema/database/posts/changes.ts';
import type { NewResult } from '../../schema/database/posts/new-rows.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { MediaItem, Transaction } from '../../schema/database/tables.ts';
import { listWantedSteps } from '../../schema/platforms/index.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { PlannedTarget } from './checks/targets.ts';
import { listTargetRows } from './stored-post.ts';

export interface StepsOwner {
  id: string;
  projectId: string;
  media: readonly MediaItem[];
}

/** `rows`: the rows of the targets. A step has the options and the media of its target. */
export function toStepRows(
  post: StepsOwner,
  targets: readonly PlannedTarget[],
  rows: readonly { id: string }[],
): NewResult[] {
  return targets.flatMap((target, i) => {
    const { account, media, platformOptions, defaultOptions } = target;
    const options = { ...defaultOptions, ...platformOptions };
    const steps = listWantedSteps(account.platform, { options, media: media ?? post.media });
    return steps.map((step): NewResult => ({
      ...commonColumns(post, target),
      id: newId('result'),
      kind: 'step',
      step,
      caption: '',
      media: media && [...media],
      platform_options: platformOptions,
      default_options: defaultOptions,
      answers_result_id: rows[i]!.id,
      thread_position: null,
      in_reply_to: null,
      usage_month: null,
    }));
  });
}

/** Call it when the options or the media of a stored post change. `targets`: none for a draft. */
export async function replaceSteps(
  trx: Transaction,
  { post, results }: PostWithResults,
  targets: readonly PlannedTarget[],
  media: readonly MediaItem[],
): Promise<void> {
  const { id, project_id: projectId } = post;
  const steps = toStepRows({ id, projectId, media }, targets, listTargetRows(results));
  const start = results.filter(({ kind }) => kind !== 'step').length;
  if (steps.length === 0 && start === results.length) return;
  const rows = steps.map((row, i) => ({ ...row, position: start + i }));
  await replaceStepRows(trx, projectId, id, rows);
}

export function commonColumns(
  post: Pick<StepsOwner, 'id' | 'projectId'>,
  { account }: PlannedTarget,
) {
  return {
    post_id: post.id,
    project_id: post.projectId,
    position: 0,
    social_account_id: account.id,
    platform: account.platform,
    account_name: account.account_name,
    status: 'pending',
    phase: 'prepare',
    phase_state: 'ready',
  } as const;
}
