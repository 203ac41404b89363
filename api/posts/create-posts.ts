// Creates several posts for one request: each in its own transaction, once however often it is asked.
import { createHash } from 'node:crypto';
import type { CreatePosts } from '../../schema/posts/bulk.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import { CreatePost, type Post } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../server/context.ts';
import { toAppError, toErrorAnswer, type ErrorBody } from '../http/errors.ts';
import { maxKeyLength } from '../http/idempotency.ts';
import { refuseAnswered, Replayed, transact, type Answer } from '../http/transact.ts';
import { bodyOptions, validate } from '../http/validation.ts';
import { createPost } from './create-post.ts';

export type CreatedPost = { status: number; post: Post } | { status: number; error: ErrorBody };

/**
 * One after the other, so that the first of two posts is the one that a limit still lets pass. With
 * a key each post has one of its own, made from it: a repeat after half of the work does the rest.
 */
export async function createPosts(
  context: Context,
  caller: Caller,
  { posts }: CreatePosts,
): Promise<Answer<CreatedPost[]>> {
  const data: CreatedPost[] = [];
  const startedAtMs = performance.now();
  for (const [index, post] of posts.entries()) {
    const last = data.at(-1);
    // Each post would wait again for a database that doesn't answer.
    const isSilent = performance.now() - startedAtMs > context.config.databaseTimeoutMs;
    if (isSilent && last && 'error' in last && last.error.code === 'unavailable') data.push(last);
    else data.push(await createOne(context, caller, { index, post }));
  }
  const answer = { status: 200, data };
  // A repeat may do better, so this isn't the answer to keep.
  const isUnfinished = data.some((item) => 'error' in item && item.error.is_retriable);
  if (!caller.idempotency || isUnfinished) return answer;
  return transact(context, caller, () => Promise.resolve(answer));
}

interface Item {
  index: number;
  post: unknown;
}

async function createOne(context: Context, caller: Caller, item: Item): Promise<CreatedPost> {
  let ownKey: string | undefined;
  try {
    const input = validate(CreatePost, item.post, bodyOptions);
    ownKey = input.idempotency_key;
    const asking = askForItem(caller, item.index, input);
    const { status, data } = await createOnce(context, asking, input);
    return { status, post: data };
  } catch (thrown) {
    const error = toAppError(context, thrown, caller.requestId);
    // The key of the request was used with other posts: none of these is wanted.
    if (error.code === 'idempotency_conflict' && ownKey === undefined) throw error;
    const { status, error: body } = toErrorAnswer(context, moveInto(error, `posts[${item.index}]`));
    return { status, error: body };
  }
}

async function createOnce(
  context: Context,
  caller: Caller,
  input: CreatePost,
): Promise<Answer<Post>> {
  try {
    await refuseAnswered(context, caller);
    return await createPost(context, caller, input);
  } catch (error) {
    if (error instanceof Replayed) return error.answer as Answer<Post>;
    throw error;
  }
}

/** A post's own key before the request's, which tells what it is by its place in it. */
function askForItem({ idempotency, ...caller }: Caller, index: number, input: CreatePost): Caller {
  const { idempotency_key: own } = input;
  if (own !== undefined) {
    if (own === idempotency?.key) {
      const message = 'must not be the key of the whole request';
      throw validationError([{ path: 'idempotency_key', code: 'duplicate', message }]);
    }
    const fingerprint = createHash('sha256')
      .update(`posts/bulk\n${JSON.stringify(input)}`)
      .digest();
    return { ...caller, idempotency: { key: own, fingerprint, scopes: ['posts:write'] } };
  }
  if (!idempotency) return caller;
  const key = `${placeOf(index)}${idempotency.key}`;
  return { ...caller, idempotency: { ...idempotency, key } };
}

/** Longer than any key that a client may send, so that it takes none of those. */
const placeOf = (index: number) => `posts[${index}]`.padEnd(maxKeyLength + 1);

/** The same refusal with its paths as the whole request has them. */
function moveInto(error: AppError, at: string): AppError {
  const { issues } = error.options;
  if (!issues) return error;
  const moved = issues.map((issue) => ({
    ...issue,
    path: issue.path === bodyOptions.root ? at : `${at}.${issue.path}`,
  }));
  const message =
    error.code === 'validation_error' ? validationError(moved).message : error.message;
  return new AppError(error.code, message, { ...error.options, issues: moved });
}
