// The event types that a webhook gets, each with its meaning.
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../api/schema.ts';
import { CodeText } from '../components/code-text.tsx';
import { CheckField } from '../components/field.tsx';
import { GroupIssues } from '../components/form-issues.tsx';
import { eventName } from './event-name.ts';

const EventTypes = graphql(`
  query EventTypes {
    eventTypes {
      event
      meaning
      isSent
    }
  }
`);
type EventTypeData = NonNullable<ResultOf<typeof EventTypes>['eventTypes']>[number];
export type EventType = EventTypeData['event'];

/** Those that this installation sends, and those that are chosen already. */
export function useEventTypes(chosen: readonly EventType[]): readonly EventTypeData[] {
  const [{ data }] = useQuery({ query: EventTypes });
  return (data?.eventTypes ?? []).filter(({ event, isSent }) => isSent || chosen.includes(event));
}

const field = 'events';

interface EventTypesFieldProps {
  types: readonly EventTypeData[];
  chosen: readonly EventType[];
}

export function EventTypesField({ types, chosen }: EventTypesFieldProps) {
  return (
    <fieldset>
      <legend>Events</legend>
      <GroupIssues at={field} label="Events" />
      {types.map(({ event, meaning }) => (
        <CheckField
          key={event}
          name={field}
          value={event}
          defaultChecked={chosen.includes(event)}
          label={
            <>
              <code>{eventName(event)}</code>{' '}
              <span className="quiet small">
                <CodeText text={meaning} />
              </span>
            </>
          }
        />
      ))}
    </fieldset>
  );
}

/** Those of a form. Chosen ones keep their order, so that nothing changes unless someone changes it. */
export function readEvents(form: FormData, chosen: readonly EventType[]): EventType[] {
  const checked = form.getAll(field) as EventType[];
  const kept = chosen.filter((event) => checked.includes(event));
  return [...kept, ...checked.filter((event) => !kept.includes(event))];
}
