// The weekly times of a queue as texts, one for each day.
import type { QueueData } from './queue-documents.ts';

type Slot = QueueData['slots'][number];
export type Weekday = Slot['weekday'];
export type DayTexts = Record<Weekday, string>;

export const weekdays: readonly (readonly [Weekday, string])[] = [
  ['MON', 'Monday'],
  ['TUE', 'Tuesday'],
  ['WED', 'Wednesday'],
  ['THU', 'Thursday'],
  ['FRI', 'Friday'],
  ['SAT', 'Saturday'],
  ['SUN', 'Sunday'],
];

export function slotText(slots: readonly Slot[]): DayTexts {
  const texts = weekdays.map(([day]) => {
    const times = slots.filter(({ weekday }) => weekday === day).map(({ time }) => time);
    return [day, times.toSorted().join(', ')] as const;
  });
  return Object.fromEntries(texts) as DayTexts;
}

/** The API checks the times. */
export function parseSlots(days: DayTexts): Slot[] {
  return weekdays.flatMap(([weekday]) =>
    days[weekday]
      .split(/[,\s]+/)
      .filter((time) => time !== '')
      .map((time) => ({ weekday, time })),
  );
}
