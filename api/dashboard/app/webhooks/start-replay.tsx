// Sends past events of a webhook again.
import { useState } from 'react';
import { now } from '../api/clock.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { ProblemAtFields } from '../components/form-issues.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { ReplayDeliveries } from './webhook-actions.ts';

/** Its times are chosen. */
const free = 'free';
const hourMs = 3_600_000;
const periods = [
  ['1', 'The last hour'],
  ['24', 'The last day'],
  ['168', 'The last week'],
  [free, 'Another period'],
] as const;
const kinds = [
  ['FAILED', 'Failed deliveries'],
  ['SKIPPED', 'Events that were skipped while it was disabled'],
  ['MISSING', 'Events from before it existed'],
  ['DELIVERED', 'Delivered events, once more'],
] as const;
type Kind = (typeof kinds)[number][0];

interface StartReplayProps {
  webhookId: string;
  reload(): void;
}

export function StartReplay({ webhookId, reload }: StartReplayProps) {
  const { run, problem, isRunning } = useAction();
  const [hours, setHours] = useState('24');
  const [kind, setKind] = useState<Kind>('FAILED');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [matched, setMatched] = useState<number>();

  async function start(close: () => void): Promise<void> {
    const period =
      hours === free
        ? { from: toInstant(from), to: toInstant(to) }
        : { from: new Date(now() - Number(hours) * hourMs).toISOString() };
    const input = { ...period, status: [kind] };
    const started = await run(ReplayDeliveries, { webhookId, input });
    if (!started?.replayDeliveries) return;
    setMatched(started.replayDeliveries.matched);
    reload();
    if (started.replayDeliveries.matched > 0) close();
  }

  return (
    <Dialog title="Replay past events" button="Replay">
      {(close) => (
        <div className="form">
          <SelectField
            label="Which"
            value={kind}
            onChange={(event) => setKind(event.target.value as Kind)}
            options={kinds}
          />
          <SelectField
            label="Period"
            value={hours}
            onChange={(event) => setHours(event.target.value)}
            options={periods}
          />
          <ProblemAtFields problem={problem}>
            {hours === free && (
              <>
                <TextField
                  label="From"
                  name="from"
                  type="datetime-local"
                  value={from}
                  onChange={({ target }) => setFrom(target.value)}
                />
                <TextField
                  label="To (optional)"
                  name="to"
                  type="datetime-local"
                  value={to}
                  onChange={({ target }) => setTo(target.value)}
                  help="Without it, until now."
                />
              </>
            )}
            <ProblemNote problem={problem} />
          </ProblemAtFields>
          <p role="status">{matched === 0 && 'No event matches.'}</p>
          <div className="actions">
            <Button onPress={close}>Close</Button>
            <Button look="main" isRunning={isRunning} onPress={() => void start(close)}>
              Start the replay
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

/** A time by the clock of this browser. Null: none was chosen. */
const toInstant = (local: string): string | null =>
  local === '' ? null : new Date(local).toISOString();
