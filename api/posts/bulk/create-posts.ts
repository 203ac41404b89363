// Creates several posts for one request, each in its own transaction, or only checks them.
import { createHash } from 'node:crypto';
import type { CreatedPost, CreatePosts } from '../../../schema/posts/bulk.ts';
import { CreatePost } from '../../../schema/posts/posts.ts';
import { validationError } from '../../../schema/wire/errors.ts';
import { restNames, type Names, type Path } from '../../../schema/wire/names.ts';
import type { Caller, Context, Idempotency } from '../../http/context.ts';
import { toIdempotency } from '../../http/idempotency.ts';
import type { Answer } from '../../http/transact.ts';
import { validate } from '../../http/validation.ts';
import { createPost } from '../create-post.ts';
import { answerEach } from './answer-each.ts';
import { foreseePost } from './foresee-post.ts';
import { CsvPost } from './csv-posts.ts';

/** `dry_run`: only checks the posts. */
export function createPosts(
  context: Context,
  { idempotency, ...caller }: Caller,
  { posts, dry_run = false }: CreatePosts & { dry_run?: boolean },
  names: Names = restNames,
): Promise<Answer<CreatedPost[]>> {
  if (dry_run) {
    const toTask = (given: unknown) => {
      const input = read(given);
      return {
        run: (asking: Caller, here: Names) => foreseePost(context, asking, input, here),
      };
    };
    const show = ({ status, data }: Awaited<ReturnType<typeof foreseePost>>): CreatedPost => {
      return { status, warnings: data };
    };
    return answerEach(context, caller, { items: posts, pathOf, toTask, show }, names);
  }
  const toTask = (given: unknown) => {
    const input = read(given);
    return {
      idempotency: ownKeyOf(input, idempotency),
      run: (asking: Caller, here: Names) => createPost(context, asking, input, here),
    };
  };
  const show = ({ status, data }: Awaited<ReturnType<typeof createPost>>): CreatedPost => {
    const { warnings, ...post } = data;
    return { status, post, warnings };
  };
  const asking = { ...caller, ...(idempotency && { idempotency }) };
  return answerEach(context, asking, { items: posts, pathOf, toTask, show }, names);
}

const read = (given: unknown): CreatePost =>
  validate(CreatePost, given instanceof CsvPost ? given.toPost() : given);

const pathOf = (given: unknown, index: number): Path =>
  given instanceof CsvPost ? ['rows', given.number] : ['posts', index];

/** The key that the post itself has. */
function ownKeyOf(input: CreatePost, ofRequest: Idempotency | undefined): Idempotency | undefined {
  const { idempotency_key: key } = input;
  if (key === undefined) return undefined;
  if (key === ofRequest?.key) {
    const message = 'must not be the key of the whole request';
    throw validationError([{ path: ['idempotency_key'], code: 'duplicate', message }]);
  }
  const fingerprint = createHash('sha256')
    .update(`posts/bulk\n${JSON.stringify(input)}`)
    .digest();
  return toIdempotency(key, fingerprint, ['posts:write']);
}
