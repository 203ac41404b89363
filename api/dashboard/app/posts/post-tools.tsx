// What can be done with a whole post in its state.
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Link } from '../components/link.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { navigate } from '../browser/router.ts';
import { useScope } from '../session/session.ts';
import { CancelPost, DeletePost, DuplicatePost, PublishPost } from './post-actions.ts';
import type { PostData } from './post-detail-documents.ts';

export function PostTools({ post, reload }: { post: PostData; reload(): void }) {
  const { run, problem, isRunning } = useAction();
  const canWrite = useScope('POSTS_WRITE');
  if (!canWrite) return null;
  const { id, status } = post;
  const isOpen = status === 'DRAFT' || status === 'SCHEDULED';
  const isDone = !isOpen && status !== 'PENDING';

  async function publish(): Promise<void> {
    if (await run(PublishPost, { id })) reload();
  }
  async function cancel(): Promise<void> {
    if (await run(CancelPost, { id })) reload();
  }
  async function remove(): Promise<void> {
    if (await run(DeletePost, { id })) navigate('/posts');
  }
  async function duplicate(): Promise<void> {
    const copy = (await run(DuplicatePost, { id }))?.duplicatePost;
    if (copy) navigate(`/compose?post=${copy.id}`);
  }

  return (
    <>
      <div className="actions">
        {isOpen && (
          <>
            <Button look="main" isRunning={isRunning} onPress={() => void publish()}>
              Publish now
            </Button>
            <Link to={`/compose?post=${id}`} className="button">
              Edit
            </Link>
          </>
        )}
        <Button isRunning={isRunning} onPress={() => void duplicate()}>
          Duplicate
        </Button>
        {(status === 'SCHEDULED' || status === 'PENDING') && (
          <Confirm title="Cancel this post?" button="Cancel post" onConfirm={cancel}>
            <p>Targets that are already public stay public. The others will not be published.</p>
          </Confirm>
        )}
        {(isDone || status === 'DRAFT') && (
          <Confirm title="Delete this post?" button="Delete" onConfirm={remove}>
            <p>Fanfare forgets the post. What is public on networks stays there.</p>
          </Confirm>
        )}
      </div>
      <ProblemNote problem={problem} />
    </>
  );
}
