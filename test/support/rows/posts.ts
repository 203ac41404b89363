// A client with accounts and posts over REST. Tests take the engine's steps on its targets by hand.
import { sql } from 'kysely';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { toFailure } from '../../../activities/publishing/record-outcome.ts';
import { claimRuns } from '../../../schema/database/posts/runs.ts';
import { beginPhase, setPublished } from '../../../schema/database/posts/grouped-steps.ts';
import { setNextPhase } from '../../../schema/database/posts/next-phases.ts';
import { endAttempt, setFailed } from '../../../schema/database/posts/target-steps.ts';
import { sealState } from '../../../schema/database/posts/provider-state.ts';
import { findTarget, type TargetRow } from '../../../schema/database/posts/targets.ts';
import type { PostingErrorCode } from '../../../schema/posts/errors.ts';
import type { Phase, Post } from '../../../schema/posts/posts.ts';
import { forEachTest } from '../fixtures.ts';
import type { TestAnswer, TestRest } from '../app/rest.ts';
import { inQuietTransaction, quietNotifier } from './quiet-transaction.ts';

export interface Author {
  readonly projectId: string;
  readonly key: string;
  /** Ids of connected accounts. */
  readonly accounts: readonly [string, string, string];
  create(post?: Record<string, unknown>): Promise<Post>;
  read(id: string): Promise<Post>;
  /**
   * `change` sends a `PATCH` with a body. `ask` calls a path below the post's, such as `publish` or `cancel`.
   */
  change(id: string, changes: Record<string, unknown>): Promise<TestAnswer>;
  ask(id: string, path: string, headers?: Record<string, string>): Promise<TestAnswer>;
  delete(id: string): Promise<TestAnswer>;
  published(accountId: string): Promise<number>;
}

export async function createAuthor(rest: TestRest): Promise<Author> {
  const { projectId, key } = await rest.createTenant();
  const accounts = [
    await rest.insertAccount(projectId),
    await rest.insertAccount(projectId),
    await rest.insertAccount(projectId),
  ] as const;
  const path = (id: string) => `/v1/posts/${id}`;
  return {
    projectId,
    key,
    accounts,
    async create(post = {}) {
      const targets = 'platform_posts' in post ? {} : { account_ids: accounts.slice(0, 2) };
      const body = { caption: 'hello', ...targets, ...post };
      const answer = await rest.call('POST', '/v1/posts', { key, body });
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
      return answer.body.data as Post;
    },
    read: async (id) => (await rest.call('GET', path(id), { key })).body.data as Post,
    change: (id, body) => rest.call('PATCH', path(id), { key, body }),
    ask: (id, action, headers = {}) => rest.call('POST', `${path(id)}/${action}`, { key, headers }),
    delete: (id) => rest.call('DELETE', path(id), { key }),
    async published(accountId) {
      const rows = await rest.context.db
        .selectFrom('account_usage')
        .select('published')
        .where('social_account_id', '=', accountId)
        .execute();
      return rows.reduce((sum, row) => sum + row.published, 0);
    },
  };
}

/** Creates another author for each test. */
export const useAuthor = (rest: TestRest) => forEachTest(() => createAuthor(rest));

export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** The kinds of the post's changes, in their order. */
export async function changesOf({ context }: TestRest, postId: string): Promise<string[]> {
  const rows = await context.db
    .selectFrom('changes')
    .select('kind')
    .where('subject_id', '=', postId)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.kind);
}

/** The events about the post, in their order: the kind, and the status of each result. */
export async function eventsOf(
  { context }: TestRest,
  postId: string,
): Promise<{ kind: string; data: Post }[]> {
  const rows = await context.db
    .selectFrom('events')
    .select(['kind', 'body'])
    .where('post_id', '=', postId)
    .orderBy('created_at')
    .execute();
  return rows.map(({ kind, body }) => ({
    kind,
    data: (JSON.parse(body) as { data: Post }).data,
  }));
}

/** The newest run of the post that was requested. */
export function runOf(
  { context }: TestRest,
  postId: string,
): Promise<{ current_run: number; workflow_id: string | null }> {
  return context.db
    .selectFrom('posts')
    .select(['current_run', 'workflow_id'])
    .where('id', '=', postId)
    .executeTakeFirstOrThrow();
}

/** Claims as the workflow of the post's newest run does. False: the run is superseded, or too late. */
export async function claim(rest: TestRest, postId: string): Promise<boolean> {
  const { current_run, workflow_id } = await runOf(rest, postId);
  return workflow_id !== null && claimAs(rest.context, postId, current_run, workflow_id);
}

/** Claims a post as if it were due. */
export function claimAs(
  { db }: Pick<TestRest['context'], 'db'>,
  postId: string,
  run: number,
  workflowId: string,
): Promise<boolean> {
  return inQuietTransaction(db, async (trx) => {
    const coming = trx
      .updateTable('posts')
      .set({ scheduled_at: sql<Date>`now() - interval '1 s'` });
    await coming.where('id', '=', postId).where('scheduled_at', 'is not', null).execute();
    const [claimed] = await claimRuns(trx, quietNotifier, [{ postId, run }], workflowId);
    return claimed?.state === 'claimed';
  });
}

/** Begins a call to the network, and doesn't end it. */
export async function begin(
  { context: { db } }: TestRest,
  resultId: string,
  phase: Phase = 'commit',
): Promise<TargetRow> {
  const row = (await findTarget(db, resultId))!;
  if (!(await beginPhase(db, quietNotifier, row, phase, null)))
    throw new Error('It was not begun.');
  return { ...row, phase, phase_state: 'begun', steps: row.steps + 1 };
}

export async function publishTarget(
  rest: TestRest,
  resultId: string,
  detail?: Record<string, unknown>,
): Promise<void> {
  const row = await begin(rest, resultId);
  const published = {
    externalId: `at-network-${resultId}`,
    url: null,
    visibility: null,
    ...(detail && { detail }),
  };
  await setPublished(rest.context.db, quietNotifier, { row, published, durationMs: 5 });
}

export async function failTarget(
  rest: TestRest,
  resultId: string,
  code: PostingErrorCode = 'unavailable',
): Promise<void> {
  const { db } = rest.context;
  const row = await begin(rest, resultId);
  const call = { outcome: 'unavailable' as const, durationMs: 7, errorCode: 'ECONNREFUSED' };
  await endAttempt(db, resultId, row.steps, { ...call, errorMessage: 'Connection refused.' });
  await setNextPhase(db, quietNotifier, row, {
    phase: 'commit',
    clock: { unavailable: 5 },
    waitMs: null,
    state: sealState(rest.context.vault, resultId, { upload: 'u1' }),
  });
  const failure = toFailure(code, 'commit', 'Connection refused.');
  await inQuietTransaction(db, (trx) => setFailed(trx, row, failure));
}

/** Ends the newest run if all of its targets have ended. */
export async function conclude(rest: TestRest, postId: string): Promise<void> {
  const { db, notifier } = rest.context;
  const { current_run: run } = await runOf(rest, postId);
  await concludePost({ db, notifier, previewEvents: false }, { postId, run });
}

/** A post that a workflow has claimed, and the IDs of its results. */
export async function createStarted(
  rest: TestRest,
  author: Author,
  post: Record<string, unknown> = {},
): Promise<{ id: string; resultIds: [string, string] }> {
  const { id, results } = await author.create(post);
  await claim(rest, id);
  return { id, resultIds: results.map((result) => result.id) as [string, string] };
}

/** A post whose first target is published, and whose second target has failed. */
export async function createPartial(rest: TestRest, author: Author, code?: PostingErrorCode) {
  const post = await createStarted(rest, author);
  await publishTarget(rest, post.resultIds[0]);
  await failTarget(rest, post.resultIds[1], code);
  await conclude(rest, post.id);
  return post;
}
