// Sends past events of a webhook again.
import { useState } from 'react';
import { now } from '../api/clock.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { SelectField } from '../components/field.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { ReplayDeliveries } from './webhook-actions.ts';

const hourMs = 3_600_000;
const periods = [
  ['1', 'The last hour'],
  ['24', 'The last day'],
  ['168', 'The last week'],
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
  const [matched, setMatched] = useState<number>();

  async function start(close: () => void): Promise<void> {
    const from = new Date(now() - Number(hours) * hourMs).toISOString();
    const started = await run(ReplayDeliveries, { webhookId, input: { from, status: [kind] } });
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
            label="From"
            value={hours}
            onChange={(event) => setHours(event.target.value)}
            options={periods}
          />
          <ProblemNote problem={problem} />
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
