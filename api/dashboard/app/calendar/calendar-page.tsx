// Posts by day and by hour. A scheduled one is moved by dragging it, or on its page.
import { useMemo, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { dayOf, ownZone } from '../browser/days.ts';
import { Link } from '../components/link.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useFilters } from '../browser/router.ts';
import { visibleProblem } from '../api/visible-problem.ts';
import { PostFilterFields, postFilters, postVariables } from '../posts/filter-fields.tsx';
import { followPosts } from '../posts/post-documents.ts';
import { useScope } from '../session/session.ts';
import { useBusyDays } from './busy-days.ts';
import { CalendarPosts, MovePost, type CalendarPostData } from './calendar-documents.ts';
import { Grid, type Days } from './grid.tsx';
import { periodOf } from './shown-period.ts';
import { movedTime, type Moved } from './moved-time.ts';

/** Such as `Dec 10, 10:30`. */
const shortTime = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

export function CalendarPage() {
  const canWrite = useScope('POSTS_WRITE');
  const [filters] = useFilters();
  const [days, setDays] = useState(() => monthOf(periodOf(filters).day));
  return (
    <Page
      title="Calendar"
      actions={
        canWrite && (
          <Link to="/compose" className="button button-main">
            New post
          </Link>
        )
      }
    >
      <form role="search" className="filters" onSubmit={(event) => event.preventDefault()}>
        <PostFilterFields />
      </form>
      <Shown days={days} onDays={setDays} canWrite={canWrite} />
    </Page>
  );
}

interface ShownProps {
  days: Days;
  onDays(days: Days): void;
  canWrite: boolean;
}

/** Until the grid says which days it shows. */
function monthOf(day: string): Days {
  const date = new Date(`${day}T00:00`);
  const first = (months: number) => new Date(date.getFullYear(), date.getMonth() + months, 1);
  return { from: first(0).toISOString(), to: first(1).toISOString() };
}

function Shown({ days, onDays, canWrite }: ShownProps) {
  const { run, problem } = useAction();
  const [filters] = useFilters();
  const { status, label, account, user } = filters;
  const variables = postVariables(filters);
  /** The numbers of the API are those of all labels, accounts and users. */
  const isCounted = !label && !account && !user;
  const found = useData(
    CalendarPosts,
    {
      from: days.from,
      to: days.to,
      timezone: ownZone,
      ...variables,
    },
    followPosts,
  );
  const isCut =
    found.data?.scheduled?.pageInfo.hasNextPage || found.data?.published?.pageInfo.hasNextPage;
  const [moves, setMoves] = useState(0);
  const [notice, setNotice] = useState('');
  const busy = useBusyDays({
    from: isCut ? days.from : undefined,
    to: days.to,
    filters: variables,
    version: found.data,
    moves,
  });
  const posts = useMemo(() => {
    const all = [
      ...(isCut ? busy : (found.data?.scheduled?.nodes ?? [])),
      ...(found.data?.published?.nodes ?? []),
    ];
    return [...new Map(all.map((post) => [post.id, post])).values()];
  }, [busy, found.data, isCut]);
  const counts = useMemo(() => {
    const sums = new Map<string, number>();
    const add = (date: string, count: number) => sums.set(date, (sums.get(date) ?? 0) + count);
    if (isCounted) {
      for (const { date, count, status: counted } of found.data?.postCounts ?? []) {
        if (!status || counted === status) add(date, count);
      }
    } else if (!isCut) {
      for (const { scheduledAt, publishedAt } of posts) {
        add(dayOf(scheduledAt ?? publishedAt ?? ''), 1);
      }
    }
    return sums;
  }, [found.data, posts, isCounted, isCut, status]);

  async function move(post: CalendarPostData, moved: Moved): Promise<boolean> {
    const input = movedTime(post, moved);
    if (!input) return false;
    setNotice('');
    const done = await run(MovePost, { id: post.id, input });
    setMoves((before) => before + 1);
    const at = done?.updatePost?.scheduledAt;
    if (at) setNotice(`Moved to ${shortTime.format(new Date(at))}.`);
    return done !== undefined;
  }

  return (
    <>
      <p className="quiet small">Times are in the zone {ownZone}.</p>
      <p role="status" className="quiet small">
        {notice}
      </p>
      <ProblemNote problem={problem ?? visibleProblem(found.problem)} />
      {isCut && (
        <p className="note">
          These days have more posts than fit here.{' '}
          {isCounted
            ? 'The numbers count all of them, and lead to the lists of each day.'
            : 'The number of a day leads to its list.'}
        </p>
      )}
      <Grid
        posts={posts}
        counts={counts}
        filters={postFilters(filters).toString()}
        canMove={canWrite}
        onDays={onDays}
        onMove={move}
      />
    </>
  );
}
