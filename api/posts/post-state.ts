// Which state of a post an operation needs, and how it is refused in another one.
import type { PostRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { PostStatus } from '../../schema/posts/posts.ts';

const stateWords: Record<PostStatus, string> = {
  draft: 'is a draft',
  scheduled: 'is scheduled',
  pending: 'is being published',
  published: 'is published',
  partial: 'is published in part',
  failed: 'has failed',
  canceled: 'is canceled',
};

/** A draft, or scheduled and not begun: it can be changed, and nothing of it is public. */
export function isWaiting({ status }: PostRow): boolean {
  return status === 'draft' || status === 'scheduled';
}

/** `reason`: what would have been needed, such as `only a draft can be changed`. */
export function wrongState({ status }: PostRow, reason: string): AppError {
  return new AppError('conflict', `The post ${stateWords[status]}: ${reason}.`, {
    details: { post_status: status },
  });
}
