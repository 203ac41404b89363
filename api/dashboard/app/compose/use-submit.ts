// Creates the post of the form, or changes the stored one, and opens its page.
import { useState } from 'react';
import { changesOf } from '../api/changes.ts';
import { useAction } from '../api/use-action.ts';
import type { Problem } from '../api/problem.ts';
import { navigate } from '../browser/router.ts';
import { PublishPost, UpdatePost } from '../posts/post-actions.ts';
import type { UnsentPost } from './unsent-post.ts';
import { CreatePost, type EditedPostData, type PostInput } from './compose-documents.ts';

/** Where the form sends the post. */
export type Destination =
  | { unsent: UnsentPost; post?: undefined }
  | {
      unsent?: undefined;
      post: EditedPostData;
      /** What is stored. */
      before: PostInput;
    };

interface SubmitOptions {
  to: Destination;
  input: PostInput;
  isPublished: boolean;
}

interface Submit {
  /** Whether the post was sent. */
  submit(): Promise<boolean>;
  /** Of the post as the form has it. */
  problem: Problem | undefined;
  isRunning: boolean;
}

export function useSubmit({ to, input, isPublished }: SubmitOptions): Submit {
  const { run, problem, isRunning } = useAction();
  const content = JSON.stringify(input);
  const [sent, setSent] = useState('');
  const isOfOther = problem !== undefined && problem.issues.length > 0 && sent !== content;

  async function create(unsent: UnsentPost): Promise<boolean> {
    const idempotencyKey = unsent.keyOf(content);
    const created = (await run(CreatePost, { input: { ...input, idempotencyKey } }))?.createPost;
    if (!created) return false;
    unsent.startAnew();
    navigate(`/posts/${created.id}`);
    return true;
  }
  async function update(id: string, before: PostInput): Promise<boolean> {
    if (!(await run(UpdatePost, { id, input: changesOf(before, input) }))) return false;
    if (isPublished && !(await run(PublishPost, { id }))) return false;
    navigate(`/posts/${id}`);
    return true;
  }
  return {
    async submit() {
      setSent(content);
      return to.post ? update(to.post.id, to.before) : create(to.unsent);
    },
    problem: isOfOther ? undefined : problem,
    isRunning,
  };
}
