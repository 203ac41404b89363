// One queue: its times, and the posts that have them.
import { useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { accountTitle } from '../components/account-title.ts';
import { Button } from '../components/button.tsx';
import { Confirm, Dialog } from '../components/dialog.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, Section, type PageProps } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { navigate } from '../browser/router.ts';
import { Status } from '../components/status.tsx';
import { exactTime } from '../components/time.tsx';
import { followPosts } from '../posts/post-documents.ts';
import { titleOf } from '../posts/post-item.tsx';
import { useScope } from '../session/session.ts';
import {
  DeleteQueue,
  OneQueue,
  RescheduleQueue,
  UpdateQueue,
  type QueueData,
} from './queue-documents.ts';
import { QueueForm } from './queue-form.tsx';

export function QueuePage({ id }: PageProps) {
  const canReadAccounts = useScope('ACCOUNTS_READ');
  const found = useData(OneQueue, { id, canReadAccounts }, followPosts);
  return (
    <Page title={found.data?.queue?.name ?? 'Queue'}>
      <Loaded of={found} pick={({ queue }) => queue} missing="The queue was deleted.">
        {(queue) => (
          <>
            <Tools queue={queue} reload={found.reload} />
            <dl className="facts">
              <dt>Status</dt>
              <dd>{queue.isPaused ? 'Paused: it takes no new posts' : 'Takes posts'}</dd>
              <dt>Accounts</dt>
              <dd>{(queue.accounts?.map(accountTitle) ?? queue.accountIds).join(', ')}</dd>
              <dt>Time zone</dt>
              <dd>{queue.timezone}</dd>
            </dl>
            {queue.warnings.map(({ code, message }) => (
              <p key={code} className="note">
                {message}
              </p>
            ))}
            <Section title="Next times">
              <ul className="list" aria-label="Next times">
                {found.data?.queueSlots?.map((slot) => (
                  <li key={slot.at}>
                    <div className="row">
                      <b>{exactTime(slot.at)}</b>
                      {slot.post ? (
                        <>
                          <Status value={slot.post.status} />
                          <Link to={`/posts/${slot.post.id}`}>{titleOf(slot.post.caption)}</Link>
                        </>
                      ) : (
                        <span className="quiet">{slot.postId === null ? 'Free' : 'Taken'}</span>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Tools({ queue, reload }: { queue: QueueData; reload(): void }) {
  const { run, problem, isRunning } = useAction();
  const [notice, setNotice] = useState('');
  const canWrite = useScope('POSTS_WRITE');
  if (!canWrite) return null;
  const { id, isPaused } = queue;

  async function pause(): Promise<void> {
    if (await run(UpdateQueue, { id, input: { isPaused: !isPaused } })) reload();
  }
  async function remove(): Promise<void> {
    if (await run(DeleteQueue, { id })) navigate('/queues');
  }
  async function reschedule(): Promise<void> {
    const moved = (await run(RescheduleQueue, { id }))?.rescheduleQueue?.movedPosts;
    if (moved === undefined) return;
    setNotice(`${moved} ${moved === 1 ? 'post was' : 'posts were'} moved.`);
    reload();
  }

  return (
    <>
      <div className="actions">
        <Dialog title="Change the queue" button="Change" look="main">
          {(close) => <QueueForm queue={queue} close={close} onSaved={reload} />}
        </Dialog>
        <Button isRunning={isRunning} onPress={() => void pause()}>
          {isPaused ? 'Take posts again' : 'Pause'}
        </Button>
        <Confirm title="Move its posts?" button="Reschedule posts" onConfirm={reschedule}>
          <p>Posts of the queue get its current times, in their order.</p>
        </Confirm>
        <Confirm title="Delete this queue?" button="Delete" onConfirm={remove}>
          <p>Its posts keep their times.</p>
        </Confirm>
      </div>
      <p role="status" className="quiet small">
        {notice}
      </p>
      <ProblemNote problem={problem} />
    </>
  );
}
