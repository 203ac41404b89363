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
  const failed = failedAccounts(post);

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
    if (!copy) return;
    const accounts = failed.length === 0 ? '' : `&accounts=${failed.join(',')}`;
    navigate(`/compose?post=${copy.id}${accounts}`);
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
          {failed.length === 0 ? 'Duplicate' : 'Copy for the failed accounts'}
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

/** The accounts of a partly published post that certainly lack it. None if an account has several targets. */
function failedAccounts({ status, results }: PostData): string[] {
  const accounts = new Set(results.map(({ socialAccountId }) => socialAccountId));
  if (status !== 'PARTIAL' || accounts.size < results.length) return [];
  return results
    .filter((target) => target.status === 'FAILED' && target.nextAction !== 'CHECK_NETWORK')
    .map(({ socialAccountId }) => socialAccountId);
}
