// The last replays of a webhook, with their progress.
import { useData } from '../api/use-data.ts';
import { Section } from '../components/page.tsx';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { followReplays, ReplayList, type ReplayData } from './webhook-documents.ts';

export function Replays({ webhookId }: { webhookId: string }) {
  const { data } = useData(ReplayList, { webhookId }, followReplays(webhookId));
  const replays = data?.replays?.nodes ?? [];
  if (replays.length === 0) return null;
  return (
    <Section title="Replays">
      <ul className="list" aria-label="Replays">
        {replays.map((replay) => (
          <ReplayItem key={replay.id} replay={replay} />
        ))}
      </ul>
    </Section>
  );
}

function ReplayItem({ replay }: { replay: ReplayData }) {
  const done = replay.matched - replay.pending;
  return (
    <li>
      <div className="row">
        <Status value={replay.status} />
        <progress max={replay.matched} value={done} aria-label="Progress of the replay" />
        <span>
          {done} of {replay.matched}
        </span>
        <span className="quiet small">
          {replay.delivered} delivered, {replay.failed} failed
          {replay.skipped > 0 && `, ${replay.skipped} skipped`}
          {replay.canceled > 0 && `, ${replay.canceled} canceled`}
        </span>
        <span className="push quiet small">
          <Time at={replay.createdAt} />
        </span>
      </div>
    </li>
  );
}
