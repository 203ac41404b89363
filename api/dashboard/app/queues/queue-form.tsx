// Makes a queue, or changes one.
import { useState } from 'react';
import { useQuery } from 'urql';
import { useAction } from '../api/use-action.ts';
import type { VariablesOf } from '../api/schema.ts';
import { accountTitle } from '../components/account-title.ts';
import { Button } from '../components/button.tsx';
import { CheckField, SelectField, TextField } from '../components/field.tsx';
import { GroupIssues, ProblemAtFields } from '../components/form-issues.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { formText } from '../browser/form-text.ts';
import { ownZone, zonesWith } from '../browser/days.ts';
import { AccountChoices } from '../posts/post-documents.ts';
import { useScope } from '../session/session.ts';
import { CreateQueue, UpdateQueue, type QueueData } from './queue-documents.ts';
import { parseSlots, slotText, weekdays } from './slots.ts';

interface QueueFormProps {
  queue?: QueueData;
  close(): void;
  onSaved(id: string): void;
}

type Input = VariablesOf<typeof CreateQueue>['input'];

export function QueueForm({ queue, close, onSaved }: QueueFormProps) {
  const { run, problem, isRunning } = useAction();
  const canReadAccounts = useScope('ACCOUNTS_READ');
  const [{ data }] = useQuery({ query: AccountChoices, pause: !canReadAccounts });
  const [days, setDays] = useState(() => slotText(queue?.slots ?? []));
  const [chosen, setChosen] = useState(() => new Set(queue?.accountIds));
  const accounts = (data?.accounts?.nodes ?? []).filter(
    ({ id, status }) => status === 'ACTIVE' || chosen.has(id),
  );

  async function save(form: FormData): Promise<void> {
    const input: Input = {
      name: formText(form, 'name'),
      timezone: formText(form, 'timezone'),
      slots: parseSlots(days),
      accountIds: [...chosen],
    };
    const saved = queue
      ? (await run(UpdateQueue, { id: queue.id, input }))?.updateQueue
      : (await run(CreateQueue, { input }))?.createQueue;
    if (!saved) return;
    close();
    onSaved(saved.id);
  }

  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <ProblemAtFields problem={problem}>
        <TextField label="Name" name="name" required defaultValue={queue?.name} />
        <fieldset>
          <legend>Accounts</legend>
          <GroupIssues at="accountIds" label="Accounts" />
          {!canReadAccounts && (
            <p>
              To choose accounts, the key needs the scope <code>accounts:read</code>.
            </p>
          )}
          {accounts.map((account) => (
            <CheckField
              key={account.id}
              label={accountTitle(account)}
              checked={chosen.has(account.id)}
              onChange={({ target }) => {
                const next = new Set(chosen);
                if (target.checked) next.add(account.id);
                else next.delete(account.id);
                setChosen(next);
              }}
            />
          ))}
        </fieldset>
        <SelectField
          label="Time zone"
          name="timezone"
          defaultValue={queue?.timezone ?? ownZone}
          options={zonesWith(queue?.timezone ?? ownZone).map((zone) => [zone, zone] as const)}
        />
        <fieldset className="form">
          <legend>Times of each day, such as 09:00, 17:30</legend>
          <GroupIssues at="slots" label="Times" />
          {weekdays.map(([day, name]) => (
            <TextField
              key={day}
              label={name}
              value={days[day]}
              onChange={({ target }) => setDays({ ...days, [day]: target.value })}
            />
          ))}
        </fieldset>
        <ProblemNote problem={problem} />
      </ProblemAtFields>
      <div className="actions">
        <Button onPress={close}>Close</Button>
        <Button type="submit" look="main" isRunning={isRunning}>
          Save
        </Button>
      </div>
    </form>
  );
}
