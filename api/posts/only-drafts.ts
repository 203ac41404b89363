// What a key with `posts:draft` but without `posts:write` can't do: make a post more than a draft.
import { lockPostWithResults } from '../../schema/database/posts/changes.ts';
import type { Transaction } from '../../schema/database/tables.ts';
import type { UpdatePost } from '../../schema/posts/changes.ts';
import type { CreatePost } from '../../schema/posts/posts.ts';
import { findGrant } from '../../schema/scopes.ts';
import type { Text } from '../../schema/wire/names.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import type { Caller } from '../http/context.ts';

const keepDraft: Text = ({ field }) =>
  `With \`posts:draft\`, give ${field('status')} as "draft", and let a key with \`posts:write\` publish or schedule the post.`;

/** Throws unless the caller may create this post. */
export function requireMayCreate(caller: Caller, { status }: Pick<CreatePost, 'status'>): void {
  if (status !== 'draft') requireScope(caller, 'posts:write', { hint: keepDraft });
}

/** Throws unless the caller may change the post in this way. Keeps the post locked, so that it stays a draft. */
export async function requireMayChange(
  trx: Transaction,
  caller: Caller,
  id: string,
  { status, scheduled_at, schedule, queue_id }: UpdatePost,
): Promise<void> {
  if (findGrant(caller.scopes, 'posts:write') !== undefined) return;
  if (status !== 'draft' && (scheduled_at ?? schedule ?? queue_id) !== undefined) {
    requireScope(caller, 'posts:write', { hint: keepDraft });
  }
  const { post } = await lockPostWithResults(trx, caller, id);
  if (post.status !== 'draft') {
    const hint = 'With `posts:draft`, only drafts can be changed.';
    requireScope(caller, 'posts:write', { hint });
  }
}
