// Posts by day and by hour. A scheduled one is moved by dragging it, or on its page.
import { useMemo, useState } from 'react';
import { now } from '../api/clock.ts';
import type { PostStatus } from '../api/schema.ts';
import { useAction, useData } from '../api/use-data.ts';
import { SelectField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useFilters } from '../parts/router.ts';
import { toWords } from '../parts/status.tsx';
import { visibleProblem } from '../parts/visible-problem.ts';
import { ownZone } from '../compose/draft.ts';
import { followPosts } from '../posts/post-documents.ts';
import { useScope } from '../session/session.ts';
import { useBusyDays } from './busy-days.ts';
import { CalendarPosts, MovePost, type CalendarPostData } from './calendar-documents.ts';
import { Grid, type Days } from './grid.tsx';
import { movedTime, type Moved } from './moved-time.ts';

const statuses = ['SCHEDULED', 'PENDING', 'PUBLISHED', 'PARTIAL', 'FAILED', 'CANCELED', 'DRAFT'];

export function CalendarPage() {
  const canWrite = useScope('POSTS_WRITE');
  const [days, setDays] = useState(thisMonth);
  const [{ status }, change] = useFilters();
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
      <div className="filters">
        <SelectField
          label="Status"
          value={status ?? ''}
          onChange={({ target }) => change({ status: target.value })}
          options={[['', 'All'], ...statuses.map((name) => [name, toWords(name)] as const)]}
        />
      </div>
      <Shown days={days} onDays={setDays} status={status} canWrite={canWrite} />
    </Page>
  );
}

interface ShownProps {
  days: Days;
  onDays(days: Days): void;
  status: string | undefined;
  canWrite: boolean;
}

/** Until the grid says which days it shows. */
function thisMonth(): Days {
  const today = new Date(now());
  const first = (months: number) => new Date(today.getFullYear(), today.getMonth() + months, 1);
  return { from: first(0).toISOString(), to: first(1).toISOString() };
}

function Shown({ days, onDays, status, canWrite }: ShownProps) {
  const { run, problem } = useAction();
  const found = useData(
    CalendarPosts,
    {
      from: days.from,
      to: days.to,
      timezone: ownZone,
      statuses: status ? [status as PostStatus] : null,
      accountId: null,
    },
    followPosts,
  );
  const isCut =
    found.data?.scheduled?.pageInfo.hasNextPage || found.data?.published?.pageInfo.hasNextPage;
  const [moves, setMoves] = useState(0);
  const busy = useBusyDays({
    from: isCut ? days.from : undefined,
    to: days.to,
    statuses: status ? [status as PostStatus] : null,
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
    for (const { date, count, status: counted } of found.data?.postCounts ?? []) {
      if (!status || counted === status) sums.set(date, (sums.get(date) ?? 0) + count);
    }
    return sums;
  }, [found.data, status]);

  async function move(post: CalendarPostData, moved: Moved): Promise<boolean> {
    const input = movedTime(post, moved);
    if (!input) return false;
    const done = await run(MovePost, { id: post.id, input });
    setMoves((before) => before + 1);
    return done !== undefined;
  }

  return (
    <>
      <ProblemNote problem={problem ?? visibleProblem(found.problem)} />
      {isCut && (
        <p className="note">
          These days have more posts than fit here. The numbers count all of them, and lead to the
          lists of each day.
        </p>
      )}
      <Grid posts={posts} counts={counts} canMove={canWrite} onDays={onDays} onMove={move} />
    </>
  );
}
