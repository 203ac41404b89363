// What the calendar shows, kept in the address, so that the browser's history and links work.
import type { CalendarRef } from '@fullcalendar/react';
import { useEffect, useRef, type RefObject } from 'react';
import { now } from '../api/clock.ts';
import { dayBounds, dayOf } from '../browser/days.ts';
import { useFilters, type Query } from '../browser/router.ts';

const views = { month: 'dayGridMonth', week: 'timeGridWeek', list: 'listWeek' } as const;
type Name = keyof typeof views;
const names = Object.keys(views) as Name[];
const phone = '(max-width: 40rem)';

export interface Period {
  name: Name;
  /** A day within it, such as `2026-12-01`. */
  day: string;
}

/** Without a period in the address: this month, or on a phone the list of this week. */
export function periodOf({ view, date }: Query): Period {
  return {
    name: names.find((name) => name === view) ?? (matchMedia(phone).matches ? 'list' : 'month'),
    day: dayBounds(date) ? date! : dayOf(now()),
  };
}

interface ShownPeriod {
  calendar: RefObject<CalendarRef | null>;
  initialView: string;
  initialDate: string;
  /** The calendar shows another period than before. */
  onShown(view: View): void;
}

interface View {
  type: string;
  currentStart: Date;
  currentEnd: Date;
}

const isOf = ({ type, currentStart, currentEnd }: View, { name, day }: Period): boolean =>
  type === views[name] && dayOf(currentStart) <= day && day < dayOf(currentEnd);

export function useShownPeriod(): ShownPeriod {
  const [filters, change] = useFilters();
  const calendar = useRef<CalendarRef>(null);
  const period = periodOf(filters);
  const { name, day } = period;
  const wanted = useRef(period);
  wanted.current = period;
  useEffect(() => {
    const api = calendar.current?.getApi();
    if (api && !isOf(api.view, { name, day })) api.changeView(views[name], day);
  }, [name, day]);
  return {
    calendar,
    initialView: views[name],
    initialDate: day,
    onShown(view) {
      if (isOf(view, wanted.current)) return;
      const shown = names.find((one) => views[one] === view.type) ?? name;
      change({ view: shown, date: dayOf(view.currentStart) });
    },
  };
}
