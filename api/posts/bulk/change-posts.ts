// Cancels, deletes or changes several posts for one request, each in its own transaction.
import {
  PostToUpdate,
  type CancelPosts,
  type ChangedPost,
  type DeletePosts,
  type UpdatePosts,
} from '../../../schema/posts/bulk.ts';
import { restNames, type Names } from '../../../schema/wire/names.ts';
import type { Caller, Context } from '../../http/context.ts';
import type { Answer } from '../../http/transact.ts';
import { validate } from '../../http/validation.ts';
import { cancelPost } from '../cancel-post.ts';
import { deletePost } from '../delete-post.ts';
import { updatePost } from '../update-post.ts';
import { answerEach } from './answer-each.ts';

export function cancelPosts(
  context: Context,
  caller: Caller,
  { ids }: CancelPosts,
  names: Names = restNames,
): Promise<Answer<ChangedPost[]>> {
  const request = {
    items: ids,
    pathOf: pathOfId,
    toTask: (id: string) => ({ run: (asking: Caller) => cancelPost(context, asking, id) }),
    show: ({ status, data }: Awaited<ReturnType<typeof cancelPost>>) => ({ status, post: data }),
  };
  return answerEach(context, caller, request, names);
}

export function deletePosts(
  context: Context,
  caller: Caller,
  { ids, unpublish = false }: DeletePosts,
  names: Names = restNames,
): Promise<Answer<ChangedPost[]>> {
  const request = {
    items: ids,
    pathOf: pathOfId,
    toTask: (id: string) => ({
      run: (asking: Caller) => deletePost(context, asking, id, { unpublish }),
    }),
    show: ({ status }: Awaited<ReturnType<typeof deletePost>>) => ({ status }),
  };
  return answerEach(context, caller, request, names);
}

export function updatePosts(
  context: Context,
  caller: Caller,
  { posts }: UpdatePosts,
  names: Names = restNames,
): Promise<Answer<ChangedPost[]>> {
  const request = {
    items: posts,
    pathOf: (_: unknown, index: number) => ['posts', index],
    toTask(given: unknown) {
      const { id, ...changes } = validate(PostToUpdate, given);
      return {
        run: (asking: Caller, here: Names) => updatePost(context, asking, id, changes, here),
      };
    },
    show({ status, data }: Awaited<ReturnType<typeof updatePost>>) {
      const { warnings, ...post } = data;
      return { status, post, warnings };
    },
  };
  return answerEach(context, caller, request, names);
}

const pathOfId = (_: string, index: number) => ['ids', index];
