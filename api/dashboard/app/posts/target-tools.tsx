// What can be done with one target: retry it, edit it, remove it from its network.
import { useEffect, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { AreaField } from '../components/field.tsx';
import { ProblemAtFields } from '../components/form-issues.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useScope } from '../session/session.ts';
import { MarkUnpublished, RetryResult, UnpublishResult, UpdateResult } from './post-actions.ts';
import type { Target } from './post-detail-documents.ts';

interface TargetToolsProps {
  postId: string;
  target: Target;
  reload(): void;
}

export function TargetTools({ postId, target, reload }: TargetToolsProps) {
  const { run, problem, isRunning } = useAction();
  const [notice, setNotice] = useState('');
  const canWrite = useScope('POSTS_WRITE');
  const ids = { postId, resultId: target.id };
  const isPublic = target.status === 'PUBLISHED';
  const isEnded = target.status === 'FAILED' || isPublic;
  // The next outcome replaces it.
  useEffect(() => {
    if (isEnded) setNotice('');
  }, [isEnded]);
  if (!canWrite) return null;

  async function retry(): Promise<void> {
    if (!(await run(RetryResult, ids))) return;
    setNotice('The retry has begun.');
    reload();
  }
  async function unpublish(): Promise<void> {
    if (await run(UnpublishResult, ids)) reload();
  }
  async function mark(): Promise<void> {
    if (await run(MarkUnpublished, ids)) reload();
  }

  return (
    <>
      {isEnded && (
        <div className="actions">
          {retryOf(target) === 'at once' && (
            <Button
              look={target.isRetriable ? 'main' : 'plain'}
              isRunning={isRunning}
              onPress={() => void retry()}
            >
              Retry
            </Button>
          )}
          {retryOf(target) === 'after a look' && (
            <Confirm title="It may be public twice" button="Retry" onConfirm={retry}>
              <p>The network may have the post already. Look there first.</p>
            </Confirm>
          )}
          {isPublic && (
            <>
              <EditTarget postId={postId} target={target} reload={reload} />
              <Confirm title="Remove it from the network?" button="Unpublish" onConfirm={unpublish}>
                <p>Fanfare deletes the post of {target.accountName} on its network.</p>
              </Confirm>
              <Confirm title="Removed by hand?" button="Mark as removed" onConfirm={mark}>
                <p>
                  Say so if someone has deleted the post on its network. Fanfare deletes nothing.
                </p>
              </Confirm>
            </>
          )}
        </div>
      )}
      <p role="status" className="quiet small">
        {notice}
      </p>
      <ProblemNote problem={problem} />
    </>
  );
}

/** Without another content, the same one is refused again. Another login or an approval is not part of the post. */
function retryOf(target: Target): 'at once' | 'after a look' | undefined {
  if (target.status !== 'FAILED') return undefined;
  const { isRetriable, nextAction } = target;
  if (nextAction === 'CHECK_NETWORK') return 'after a look';
  const canBeCured = nextAction === 'RECONNECT_ACCOUNT' || nextAction === 'CONTACT_OPERATOR';
  return isRetriable || canBeCured ? 'at once' : undefined;
}

function EditTarget({ postId, target, reload }: TargetToolsProps) {
  const { run, problem, isRunning, clear } = useAction();
  const [caption, setCaption] = useState(target.caption);
  async function save(close: () => void): Promise<void> {
    const saved = await run(UpdateResult, { postId, resultId: target.id, input: { caption } });
    if (!saved) return;
    reload();
    close();
  }
  return (
    <Dialog title={`Edit at ${target.accountName}`} button="Edit">
      {(close) => (
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            void save(close);
          }}
        >
          <ProblemAtFields problem={problem}>
            <AreaField
              label="Text"
              name="caption"
              rows={6}
              value={caption}
              onChange={(event) => setCaption(event.target.value)}
            />
            <ProblemNote problem={problem} />
          </ProblemAtFields>
          <div className="actions">
            <Button
              onPress={() => {
                clear();
                close();
              }}
            >
              Close
            </Button>
            <Button type="submit" look="main" isRunning={isRunning}>
              Save on the network
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
