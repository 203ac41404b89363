// Makes the rows of a post: one per target, linked into threads, one per first comment, and one per later step.
import { newId } from '../../schema/wire/ids.ts';
import type { PlannedTarget } from './checks/targets.ts';
import type { NewResult } from '../../schema/database/posts/new-rows.ts';
import { commonColumns, toStepRows, type StepsOwner } from './step-rows.ts';

interface RowsOwner extends StepsOwner {
  /** Month in which the targets count. Absent: they don't count yet. */
  usageMonth?: string | null;
  /** A draft gets the defaults of its accounts when it is scheduled or published. */
  isDraft: boolean;
}

/** Returns targets in the order of the request, then their comments, then their steps. `position` has the same order. */
export function toResultRows(post: RowsOwner, targets: PlannedTarget[]): NewResult[] {
  const lastPart = new Map<string, string>();
  const rows = targets.map((target): NewResult => {
    const id = newId('result');
    const { threadPosition, account } = target;
    const answers = threadPosition === null ? null : (lastPart.get(account.id) ?? null);
    if (threadPosition !== null) lastPart.set(account.id, id);
    return {
      ...commonColumns(post, target),
      id,
      kind: 'post',
      caption: target.caption,
      media: target.media && [...target.media],
      content_hash: target.contentHash,
      platform_options: target.platformOptions,
      default_options: post.isDraft ? null : target.defaultOptions,
      answers_result_id: answers,
      thread_position: threadPosition,
      in_reply_to: target.inReplyTo,
      usage_month: post.usageMonth ?? null,
    };
  });
  const comments = targets.flatMap((target, i): NewResult[] =>
    target.firstComment === null
      ? []
      : [toCommentRow(post, target, target.firstComment, rows[i]!.id)],
  );
  const steps = post.isDraft ? [] : toStepRows(post, targets, rows);
  return [...rows, ...comments, ...steps].map((row, position) => ({ ...row, position }));
}

function toCommentRow(
  post: RowsOwner,
  target: PlannedTarget,
  text: string,
  answers: string,
): NewResult {
  return {
    ...commonColumns(post, target),
    id: newId('result'),
    kind: 'comment',
    caption: text,
    // Null would mean the post's media.
    media: [],
    answers_result_id: answers,
    thread_position: null,
    in_reply_to: null,
    usage_month: null,
  };
}
