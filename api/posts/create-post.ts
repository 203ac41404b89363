// Creates a post: checked outside the transaction, written in it.
import { recordEvent } from '../../schema/database/events/record.ts';
import { toPostEventData } from '../../schema/database/posts/outcome-event.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { CreatePost, Post } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../server/context.ts';
import { transact, type Answer, type Effects } from '../http/transact.ts';
import { planPost } from './checks/check-post.ts';
import { presentPost } from './presenter.ts';
import { writePost } from './write-post.ts';

/** 202 for publish-now; 201 for a draft or a scheduled post. */
export async function createPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<Answer<Post>> {
  const planned = await planPost(context, caller, input);
  return transact(context, caller, async (effects) => {
    const written = await writePost(context, effects, caller, planned);
    if (planned.status === 'scheduled') await recordScheduled(context, effects, written);
    const status = planned.status === 'pending' ? 202 : 201;
    return { status, data: presentPost(context, written.post, written.results) };
  });
}

export async function recordScheduled(
  { config }: Context,
  { trx, notify }: Effects,
  { post, results }: PostWithResults,
): Promise<void> {
  const data = toPostEventData(post, results);
  const event = {
    projectId: post.project_id,
    environment: post.environment,
    kind: 'post.scheduled',
    data,
    postId: post.id,
  } as const;
  await recordEvent(trx, event, config);
  notify('fanfare_deliveries');
}
