// Creates the post of the form, or changes the stored one, and opens its page.
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
  submit(): Promise<void>;
  problem: Problem | undefined;
  isRunning: boolean;
}

export function useSubmit({ to, input, isPublished }: SubmitOptions): Submit {
  const { run, problem, isRunning } = useAction();

  async function create(unsent: UnsentPost): Promise<void> {
    const idempotencyKey = unsent.keyOf(JSON.stringify(input));
    const created = (await run(CreatePost, { input: { ...input, idempotencyKey } }))?.createPost;
    if (!created) return;
    unsent.startAnew();
    navigate(`/posts/${created.id}`);
  }
  async function update(id: string, before: PostInput): Promise<void> {
    if (!(await run(UpdatePost, { id, input: changesOf(before, input) }))) return;
    if (isPublished && !(await run(PublishPost, { id }))) return;
    navigate(`/posts/${id}`);
  }
  return {
    submit: () => (to.post ? update(to.post.id, to.before) : create(to.unsent)),
    problem,
    isRunning,
  };
}
