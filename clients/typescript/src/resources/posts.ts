// Posts and their results.
import type { Calls } from '../calls.ts';
import { toMs, type Duration } from '../durations.ts';
import { FanfareError, invalidAnswer } from '../errors.ts';
import type { Answer, Body, Query, Schemas } from '../operations.ts';
import { path, type CallOptions, type Sender } from '../send.ts';
import { waitForEnd } from '../wait-for-post.ts';

export type Post = Schemas['Post'];
/** A post with the warnings of the call that wrote it. */
export type WrittenPost = Post & { warnings: Schemas['PostIssue'][] };

export interface WaitOptions extends CallOptions {
  /** Returns once the post has ended, or as it is after this time. */
  wait?: Duration;
}

export interface DeletedPost {
  /** Whether Fanfare still removes public targets, before it deletes the record. */
  isPending: boolean;
  /** How many targets stay public at their networks, or may be. */
  stillPublic: number;
}

export function createPosts({ one, warned, list }: Calls, sender: Sender) {
  const get = (id: string, options?: CallOptions) =>
    one<'getPost'>('GET', path`/v1/posts/${id}`, {}, options);

  const waitFor = (post: Post, ms: number, options: CallOptions) =>
    waitForEnd(() => get(post.id, options), post, ms, options.signal);

  /** Refuses a wrong `wait` before it writes. If the wait fails, returns the post as it was written. */
  async function writeAndWait(
    write: (options: CallOptions) => Promise<WrittenPost>,
    { wait, ...options }: WaitOptions,
  ): Promise<WrittenPost> {
    const ms = wait === undefined ? 0 : toMs('wait', wait);
    const { warnings, ...post } = await write(options);
    try {
      return { ...(await waitFor(post, ms, options)), warnings };
    } catch (error) {
      if (error instanceof FanfareError) return { ...post, warnings };
      throw error;
    }
  }

  return {
    get,

    create: (post: Body<'createPost'>, options: WaitOptions = {}): Promise<WrittenPost> =>
      writeAndWait(
        (call) => warned<'createPost'>('POST', '/v1/posts', { body: post }, call),
        options,
      ),

    /** Publishes a draft or a scheduled post now. */
    publish: (id: string, options: WaitOptions = {}): Promise<WrittenPost> =>
      writeAndWait(
        (call) => warned<'publishPost'>('POST', path`/v1/posts/${id}/publish`, {}, call),
        options,
      ),

    /** Returns the post once it has ended, or as it is after this time. */
    async wait(id: string, wait: Duration, options: CallOptions = {}): Promise<Post> {
      const ms = toMs('wait', wait);
      return waitFor(await get(id, options), ms, options);
    },

    list: (query?: Query<'listPosts'>, options?: CallOptions) =>
      list<'listPosts'>('/v1/posts', query, options),

    update: (id: string, changes: Body<'updatePost'>, options?: CallOptions) =>
      warned<'updatePost'>('PATCH', path`/v1/posts/${id}`, { body: changes }, options),

    /** Deletes the record. With `unpublish`, removes public targets first. */
    async delete(
      id: string,
      { unpublish, ...options }: CallOptions & { unpublish?: boolean } = {},
    ): Promise<DeletedPost> {
      const asked = { query: { unpublish } };
      const { status, headers } = await sender.send(
        'DELETE',
        path`/v1/posts/${id}`,
        asked,
        options,
      );
      const stillPublic = Number(headers.get('Fanfare-Still-Public') ?? 0);
      if (!Number.isInteger(stillPublic) || stillPublic < 0) {
        throw invalidAnswer('`Fanfare-Still-Public` is no number of targets.', { status });
      }
      return { isPending: status === 202, stillPublic };
    },

    /** Reports what creation would refuse or warn of, and creates nothing. */
    validate: (post: Body<'validatePost'>, options?: CallOptions) =>
      one<'validatePost'>('POST', '/v1/posts/validate', { body: post, takesKey: false }, options),

    duplicate: (id: string, options?: CallOptions) =>
      warned<'duplicatePost'>('POST', path`/v1/posts/${id}/duplicate`, {}, options),

    cancel: (id: string, options?: CallOptions) =>
      one<'cancelPost'>('POST', path`/v1/posts/${id}/cancel`, {}, options),

    /** Creates up to 500 posts, from objects or from CSV. Each is accepted or refused on its own. */
    async bulkCreate(
      posts: Body<'createPosts'>['posts'] | string,
      { dryRun, ...options }: CallOptions & { dryRun?: boolean } = {},
    ): Promise<Schemas['CreatedPost'][]> {
      const query = { dry_run: dryRun };
      const takesKey = dryRun !== true;
      const asked =
        typeof posts === 'string'
          ? { csv: posts, query, takesKey }
          : { body: { posts }, query, takesKey };
      return one<'createPosts'>('POST', '/v1/posts/bulk', asked, options);
    },

    bulkUpdate: (posts: Body<'updatePosts'>['posts'], options?: CallOptions) =>
      one<'updatePosts'>('POST', '/v1/posts/bulk/update', { body: { posts } }, options),

    bulkCancel: (body: Body<'cancelPosts'>, options?: CallOptions) =>
      one<'cancelPosts'>('POST', '/v1/posts/bulk/cancel', { body }, options),

    bulkDelete: (body: Body<'deletePosts'>, options?: CallOptions) =>
      one<'deletePosts'>('POST', '/v1/posts/bulk/delete', { body }, options),

    /** Numbers of posts by day, in a time zone. */
    counts: (query: Query<'listPostCounts'>, options?: CallOptions) =>
      sender.json<Answer<'listPostCounts'>>('GET', '/v1/posts/counts', { query }, options),

    /** The matching posts as CSV. */
    async exportCsv(query?: Query<'exportPosts'>, options?: CallOptions): Promise<string> {
      const { text } = await sender.send('GET', '/v1/posts.csv', { query }, options);
      return text;
    },

    /** Retries a failed target, or the failed comment or steps of a published one. */
    retryResult: (id: string, resultId: string, options?: CallOptions) =>
      one<'retryResult'>('POST', path`/v1/posts/${id}/results/${resultId}/retry`, {}, options),

    /** Edits a published target at its network. */
    updateResult: (
      id: string,
      resultId: string,
      changes: Body<'updateResult'>,
      options?: CallOptions,
    ) =>
      one<'updateResult'>(
        'PATCH',
        path`/v1/posts/${id}/results/${resultId}`,
        { body: changes },
        options,
      ),

    /** Removes a published target from its network. */
    unpublishResult: (id: string, resultId: string, options?: CallOptions) =>
      one<'unpublishResult'>(
        'POST',
        path`/v1/posts/${id}/results/${resultId}/unpublish`,
        {},
        options,
      ),

    /** Records that you removed a target by hand. */
    markResultUnpublished: (id: string, resultId: string, options?: CallOptions) =>
      one<'markResultUnpublished'>(
        'POST',
        path`/v1/posts/${id}/results/${resultId}/mark-unpublished`,
        {},
        options,
      ),

    listAttempts: (
      id: string,
      resultId: string,
      query?: Query<'listAttempts'>,
      options?: CallOptions,
    ) => list<'listAttempts'>(path`/v1/posts/${id}/results/${resultId}/attempts`, query, options),

    /** A link to a hosted page on which a creator reviews the post. */
    createReviewLink: (id: string, body: Body<'createReviewLink'>, options?: CallOptions) =>
      one<'createReviewLink'>('POST', path`/v1/posts/${id}/review-links`, { body }, options),
  };
}

export function createLabels({ list }: Calls) {
  return {
    list: (query?: Query<'listLabels'>, options?: CallOptions) =>
      list<'listLabels'>('/v1/labels', query, options),
  };
}
