// What can be done with posts: create, read, list.
import { validationError } from '../../schema/errors.ts';
import { newId } from '../../schema/ids.ts';
import { fixedLimits } from '../../schema/limits.ts';
import type { Page } from '../../schema/listing.ts';
import type { CreatePost, ListPosts, Post, PostStatus } from '../../schema/posts.ts';
import { insertPublishPost } from '../../schema/database/outbox.ts';
import { getPostRow, insertPost, listPostRows, listResults } from '../../schema/database/posts.ts';
import { recordEvent } from '../../schema/database/events.ts';
import { toPostEventData } from '../../schema/database/post-event.ts';
import type { Config } from '../../schema/config.ts';
import type { Caller, Context } from '../context.ts';
import { page } from '../listing.ts';
import { transact, type Answer, type Effects } from '../transact.ts';
import { presentPost } from './presenter.ts';
import { planTargets, type PlannedTarget } from './targets.ts';

const maxAheadMs = fixedLimits.scheduleAheadDays * 24 * 3_600_000;

/** 202 for publish-now; 201 for a draft or a scheduled post. */
export async function createPost(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<Answer<Post>> {
  const scheduledAt = readSchedule(context.config, input);
  const targets = await planTargets(context, caller, input);
  const status = input.status ?? (scheduledAt ? 'scheduled' : 'pending');
  return transact(context, caller, async (effects) => {
    const post = await writePost(effects, caller, input, { status, scheduledAt, targets });
    if (status === 'scheduled') {
      const { rows } = post;
      await recordEvent(
        effects.trx,
        {
          projectId: caller.projectId,
          kind: 'post.scheduled',
          data: toPostEventData(rows.post, rows.results),
          postId: rows.post.id,
        },
        context.config,
      );
    }
    return { status: status === 'pending' ? 202 : 201, data: post.data };
  });
}

function readSchedule({ minScheduleAheadS }: Config, input: CreatePost): Date | null {
  if (input.scheduled_at === undefined) return null;
  const at = new Date(input.scheduled_at);
  const aheadMs = at.getTime() - Date.now();
  const path = 'scheduled_at';
  const actual = input.scheduled_at;
  if (aheadMs < minScheduleAheadS * 1_000) {
    const message = `must be at least ${minScheduleAheadS} seconds ahead`;
    throw validationError([{ path, code: 'too_soon', message, actual, limit: minScheduleAheadS }]);
  }
  if (aheadMs > maxAheadMs) {
    throw validationError([{ path, code: 'too_far', message: 'must be within a year', actual }]);
  }
  return at;
}

interface PlannedPost {
  status: PostStatus;
  scheduledAt: Date | null;
  targets: PlannedTarget[];
}

async function writePost(
  { trx, change, ring }: Effects,
  caller: Caller,
  input: CreatePost,
  { status, scheduledAt, targets }: PlannedPost,
) {
  const id = newId('post');
  const run = status === 'draft' ? 0 : 1;
  const workflowId =
    run === 0 ? null : await insertPublishPost(trx, { postId: id, run }, scheduledAt);
  await insertPost(
    trx,
    {
      id,
      project_id: caller.projectId,
      caption: input.caption,
      status,
      scheduled_at: scheduledAt,
      metadata: JSON.stringify(input.metadata),
      current_run: run,
      workflow_id: workflowId,
    },
    targets.map(({ account, caption, platformOptions }, position) => ({
      id: newId('result'),
      post_id: id,
      project_id: caller.projectId,
      position,
      social_account_id: account.id,
      platform: account.platform,
      account_name: account.account_name,
      caption,
      platform_options: JSON.stringify(platformOptions),
      status: 'pending',
      phase: 'prepare',
      phase_state: 'ready',
    })),
  );
  change({ subject: 'post', subject_id: id, kind: 'created' });
  if (run > 0) ring('fanfare_outbox');
  const rows = await getPostRow(trx, caller.projectId, id);
  return { rows, data: presentPost(rows.post, rows.results) };
}

export async function getPost(context: Context, caller: Caller, id: string): Promise<Post> {
  const { post, results } = await getPostRow(context.db, caller.projectId, id);
  return presentPost(post, results);
}

export async function listPosts(
  { db }: Context,
  { projectId }: Caller,
  { limit, cursor, ...filters }: ListPosts,
): Promise<Page<Post>> {
  return page(
    { limit, cursor },
    (slice) => listPostRows(db, projectId, filters, slice),
    async (posts) => {
      const ids = posts.map((post) => post.id);
      const results = Map.groupBy(await listResults(db, ids), (result) => result.post_id);
      return posts.map((post) => presentPost(post, results.get(post.id) ?? []));
    },
  );
}
