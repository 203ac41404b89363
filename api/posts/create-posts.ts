// Creates several posts for one request, each in its own transaction. A repeat creates none twice.
import { createHash } from 'node:crypto';
import type { CreatedPost, CreatePosts } from '../../schema/posts/bulk.ts';
import { CreatePost, type CheckedPost } from '../../schema/posts/posts.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { restNames, type Names, type Path } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { toAppError, toErrorAnswer } from '../http/errors.ts';
import { maxKeyLength } from '../http/idempotency.ts';
import { countPosts } from '../http/rate-limit.ts';
import { Replayed, transact, type Answer } from '../http/transact.ts';
import { validate } from '../http/validation.ts';
import { createPost } from './create-post.ts';

/**
 * Creates the posts in order, so that earlier posts count first against a limit. With a request key, each
 * post gets a key that is derived from the request key, so that a repeat creates only the missing posts.
 */
export async function createPosts(
  context: Context,
  caller: Caller,
  { posts }: CreatePosts,
  names: Names = restNames,
): Promise<Answer<CreatedPost[]>> {
  countPosts(context, caller, posts.length);
  const data: CreatedPost[] = [];
  const startedAtMs = performance.now();
  for (const [index, post] of posts.entries()) {
    const last = data.at(-1);
    // Every further post would also wait for a database that doesn't answer.
    const isSilent = performance.now() - startedAtMs > context.config.databaseTimeoutMs;
    if (isSilent && last?.error?.code === 'unavailable') data.push(last);
    else data.push(await createOne(context, caller, { index, given: post }, names));
  }
  const answer = { status: 200, data };
  // A repeat may succeed, so this answer isn't stored.
  const isUnfinished = data.some(({ error }) => error?.is_retriable);
  if (!caller.idempotency || isUnfinished) return answer;
  return transact(context, caller, () => Promise.resolve(answer));
}

async function createOne(
  context: Context,
  caller: Caller,
  { index, given }: { index: number; given: unknown },
  names: Names,
): Promise<CreatedPost> {
  let ownKey: string | undefined;
  const toPath = (path: Path) => ['posts', index, ...path];
  try {
    const input = validate(CreatePost, given);
    ownKey = input.idempotency_key;
    const asking = askForItem(caller, index, input);
    const here: Names = { ...names, path: (path) => names.path(toPath(path)) };
    const { status, data } = await createOnce(context, asking, input, here);
    const { warnings, ...post } = data;
    return { status, post, warnings };
  } catch (thrown) {
    const error = toAppError(context, thrown, caller.requestId);
    // The request's key was used with other posts, so the whole request is refused.
    if (error.code === 'idempotency_conflict' && ownKey === undefined) throw error;
    const { status, error: body } = toErrorAnswer(context, error.withPaths(toPath), names);
    return { status, error: body };
  }
}

async function createOnce(
  context: Context,
  caller: Caller,
  input: CreatePost,
  names: Names,
): Promise<Answer<CheckedPost>> {
  try {
    return await createPost(context, caller, input, names);
  } catch (error) {
    if (error instanceof Replayed) return error.answer as Answer<CheckedPost>;
    throw error;
  }
}

/**
 * The caller with the key of one post: the post's own, or one made from the request's key and the position.
 */
function askForItem({ idempotency, ...caller }: Caller, index: number, input: CreatePost): Caller {
  const { idempotency_key: own } = input;
  if (own !== undefined) {
    if (own === idempotency?.key) {
      const message = 'must not be the key of the whole request';
      throw validationError([{ path: ['idempotency_key'], code: 'duplicate', message }]);
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

/** Longer than any key that a client may send, so it never equals a client's key. */
const placeOf = (index: number) => `posts[${index}]`.padEnd(maxKeyLength + 1);
