// Creates the post of the form, or changes the stored one, and opens its page.
import { useMemo } from 'react';
import { changesOf } from '../api/changes.ts';
import { useAction } from '../api/use-action.ts';
import type { Problem } from '../api/problem.ts';
import { randomId } from '../browser/random-id.ts';
import { navigate } from '../browser/router.ts';
import { PublishPost, UpdatePost } from '../posts/post-actions.ts';
import { CreatePost, type EditedPostData, type PostInput } from './compose-documents.ts';

interface SubmitOptions {
  /** Undefined: the post is new. */
  post: EditedPostData | undefined;
  /** What is stored. */
  before: PostInput;
  input: PostInput;
  isPublished: boolean;
}

interface Submit {
  submit(): Promise<void>;
  problem: Problem | undefined;
  isRunning: boolean;
}

export function useSubmit({ post, before, input, isPublished }: SubmitOptions): Submit {
  const { run, problem, isRunning } = useAction();
  // If the answer is lost, the same post is not created twice. A changed one is another post.
  const content = JSON.stringify(input);
  const idempotencyKey = useMemo(randomId, [content]);

  async function create(): Promise<void> {
    const created = (await run(CreatePost, { input: { ...input, idempotencyKey } }))?.createPost;
    if (created) navigate(`/posts/${created.id}`);
  }
  async function update(id: string): Promise<void> {
    if (!(await run(UpdatePost, { id, input: changesOf(before, input) }))) return;
    if (isPublished && !(await run(PublishPost, { id }))) return;
    navigate(`/posts/${id}`);
  }
  return { submit: () => (post ? update(post.id) : create()), problem, isRunning };
}
