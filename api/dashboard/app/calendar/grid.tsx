// The grid of days, of FullCalendar.
import FullCalendar, { type EventInput } from '@fullcalendar/react';
import dayGrid from '@fullcalendar/react/daygrid';
import interaction from '@fullcalendar/react/interaction';
import list from '@fullcalendar/react/list';
import theme from '@fullcalendar/react/themes/classic';
import timeGrid from '@fullcalendar/react/timegrid';
import '@fullcalendar/react/skeleton.css';
import '@fullcalendar/react/themes/classic/theme.css';
import './calendar.css';
import { useMemo } from 'react';
import { now } from '../api/clock.ts';
import { base, navigate } from '../browser/router.ts';
import { toWords } from '../components/status.tsx';
import { dayOf, toLocal } from '../browser/days.ts';
import { titleOf } from '../posts/post-item.tsx';
import type { CalendarPostData } from './calendar-documents.ts';
import { useShownPeriod } from './shown-period.ts';
import type { Moved } from './moved-time.ts';

export interface Days {
  from: string;
  to: string;
}

interface GridProps {
  posts: readonly CalendarPostData[];
  /** All posts of a day, also those that are not loaded. */
  counts: ReadonlyMap<string, number>;
  /** For the address of the list of a day. */
  filters: string;
  canMove: boolean;
  onDays(days: Days): void;
  onMove(post: CalendarPostData, moved: Moved): Promise<boolean>;
}

const plugins = [dayGrid, timeGrid, list, interaction, theme];
const mostPerDay = 3;

export function Grid({ posts, counts, filters, canMove, onDays, onMove }: GridProps) {
  const events = useMemo(() => posts.flatMap((post) => toEvent(post, canMove)), [posts, canMove]);
  const shown = useShownPeriod();
  const dayText = (date: Date) => {
    const count = counts.get(dayOf(date));
    if (count === undefined) return `${date.getDate()}`;
    return `${date.getDate()} · ${count} ${count === 1 ? 'post' : 'posts'}`;
  };
  return (
    <div className="calendar">
      <FullCalendar
        plugins={plugins}
        ref={shown.calendar}
        initialView={shown.initialView}
        initialDate={shown.initialDate}
        headerToolbar={{
          start: 'prev,next today',
          center: 'title',
          end: 'dayGridMonth,timeGridWeek,listWeek',
        }}
        todayHint="Today"
        eventTimeFormat={{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }}
        slotHeaderFormat={{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }}
        firstDay={1}
        now={() => new Date(now())}
        contentHeight="auto"
        allDaySlot={false}
        nowIndicator
        dayMaxEvents={mostPerDay}
        eventMaxStack={mostPerDay}
        forceEventDuration
        defaultTimedEventDuration="00:30"
        // A post of the last half hour is on its own day only.
        nextDayThreshold="00:30"
        displayEventEnd={false}
        eventContent={EventText}
        noEventsText="No posts in this week"
        events={events}
        eventDurationEditable={false}
        datesSet={({ start, end, view }) => {
          onDays({ from: start.toISOString(), to: end.toISOString() });
          shown.onShown(view);
        }}
        // The number of posts leads to all of them, since the grid has room for a few.
        views={{
          dayGridMonth: { navLinks: true },
          timeGridWeek: { contentHeight: 640, scrollTime: '08:00' },
        }}
        navLinkHint={(text, date) => `${dayText(date)}: posts on ${text}`}
        navLinkDayClick={(date) => {
          const day = dayOf(date);
          const isPast = day < dayOf(new Date(now()));
          const on = isPast ? 'published' : 'scheduled';
          navigate(`/posts?${filters === '' ? '' : `${filters}&`}${on}=${day}`);
        }}
        dayCellTopContent={({ date }) => dayText(date)}
        dateClick={({ date, allDay }) => {
          navigate(`/compose?at=${allDay ? `${dayOf(date)}T09:00` : toLocal(date)}`);
        }}
        eventClick={({ event, jsEvent }) => {
          jsEvent.preventDefault();
          navigate(`/posts/${event.id}`);
        }}
        eventDrop={({ event, delta, revert }) => {
          const post = posts.find(({ id }) => id === event.id);
          if (!post) return revert();
          const { days, milliseconds } = delta;
          void onMove(post, { days, milliseconds }).then((isMoved) => isMoved || revert());
        }}
      />
    </div>
  );
}

interface EventTextProps {
  event: { title: string; extendedProps: Record<string, unknown> };
  timeText: string;
  timeClass: string;
  titleClass: string;
}

/** The status has its own place, so that only a caption that is too long ends with dots. */
function EventText({ event, timeText, timeClass, titleClass }: EventTextProps) {
  const { status } = event.extendedProps as Pick<CalendarPostData, 'status'>;
  // The time says the others.
  const isClear = status === 'SCHEDULED' || status === 'PUBLISHED';
  return (
    <>
      {timeText !== '' && <div className={timeClass}>{timeText}</div>}
      <div className={titleClass}>
        <div className="event-title">{event.title}</div>
        <span className={isClear ? 'hidden' : 'small'}> ({toWords(status).toLowerCase()})</span>
      </div>
    </>
  );
}

const colors: Partial<Record<CalendarPostData['status'], string>> = {
  SCHEDULED: 'var(--accent)',
  PENDING: 'var(--wait)',
  PUBLISHED: 'var(--good)',
  PARTIAL: 'var(--wait)',
  FAILED: 'var(--bad)',
};

function toEvent(post: CalendarPostData, canMove: boolean): EventInput[] {
  const start = post.scheduledAt ?? post.publishedAt;
  if (start === null) return [];
  return [
    {
      id: post.id,
      title: titleOf(post.caption),
      extendedProps: { status: post.status },
      start,
      url: `${base}/posts/${post.id}`,
      editable: canMove && post.status === 'SCHEDULED',
      color: colors[post.status] ?? 'var(--quiet)',
      contrastColor: 'var(--card)',
    },
  ];
}
