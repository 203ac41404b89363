// When the post is published: now, at a time, in a queue, or later as a draft.
import { useQuery } from 'urql';
import { SelectField, TextField } from '../components/field.tsx';
import { now } from '../api/clock.ts';
import { ComposeQueues } from './compose-documents.ts';
import { ownZone, toLocal, zonesWith } from '../browser/days.ts';
import type { When } from './draft.ts';

interface WhenFieldProps {
  when: When;
  onChange(when: When): void;
}

const inAnHourMs = 3_600_000;

export function WhenField({ when, onChange }: WhenFieldProps) {
  const [{ data }] = useQuery({ query: ComposeQueues });
  const queues = (data?.queues?.nodes ?? []).filter(({ isPaused }) => !isPaused);

  function choose(kind: string): void {
    if (kind === 'now' || kind === 'draft') return onChange({ kind });
    if (kind === 'queue') return onChange({ kind, queueId: queues[0]?.id ?? '' });
    onChange({ kind: 'time', local: toLocal(now() + inAnHourMs), timezone: ownZone });
  }

  return (
    <div className="filters when">
      <SelectField
        label="When"
        at="schedule"
        value={when.kind}
        onChange={({ target }) => choose(target.value)}
        options={[
          ['now', 'Now'],
          ['time', 'At a time'],
          ...(queues.length > 0 ? ([['queue', 'Next slot of a queue']] as const) : []),
          ['draft', 'Keep it as a draft'],
        ]}
      />
      {when.kind === 'time' && (
        <>
          <TextField
            label="Time"
            at="schedule.local"
            type="datetime-local"
            value={when.local}
            onChange={({ target }) => onChange({ ...when, local: target.value })}
          />
          <SelectField
            label="Time zone"
            at="schedule.timezone"
            value={when.timezone}
            onChange={({ target }) => onChange({ ...when, timezone: target.value })}
            options={zonesWith(when.timezone).map((zone) => [zone, zone] as const)}
          />
        </>
      )}
      {when.kind === 'queue' && (
        <SelectField
          label="Queue"
          at="queueId"
          value={when.queueId}
          onChange={({ target }) => onChange({ kind: 'queue', queueId: target.value })}
          options={queues.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </div>
  );
}
