// The list of queues.
import { useData } from '../api/use-data.ts';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { navigate, useFilters } from '../browser/router.ts';
import { Status } from '../components/status.tsx';
import { useScope } from '../session/session.ts';
import { QueueList } from './queue-documents.ts';
import { QueueForm } from './queue-form.tsx';

export function QueuesPage() {
  const [{ after }] = useFilters();
  const canWrite = useScope('POSTS_WRITE');
  const found = useData(QueueList, { after: after ?? null });
  return (
    <Page
      title="Queues"
      actions={
        canWrite && (
          <Dialog title="New queue" button="New queue" look="main">
            {(close) => <QueueForm close={close} onSaved={(id) => navigate(`/queues/${id}`)} />}
          </Dialog>
        )
      }
    >
      <Loaded of={found} pick={({ queues }) => queues}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 && (
              <Empty title="No queue yet">
                <p>A queue has weekly times. A post in it gets the next one that is free.</p>
              </Empty>
            )}
            <ul className="list" aria-label="Queues">
              {nodes.map((queue) => (
                <li key={queue.id}>
                  <div className="row">
                    {queue.isPaused && <Status value="WARNING" label="Paused" />}
                    <Link to={`/queues/${queue.id}`} className="row-title">
                      {queue.name}
                    </Link>
                    <span className="push quiet small">
                      {queue.slots.length} {queue.slots.length === 1 ? 'time' : 'times'} a week
                    </span>
                  </div>
                </li>
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
