// The first page: what needs you, and the next posts.
import { useState } from 'react';
import { now } from '../api/clock.ts';
import { useData } from '../api/use-data.ts';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Page, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { visibleProblem } from '../api/visible-problem.ts';
import { followPosts } from '../posts/post-documents.ts';
import { PostItem } from '../posts/post-item.tsx';
import { useScope } from '../session/session.ts';
import { Charts } from './charts.tsx';
import { NextPosts } from './home-documents.ts';
import { Needs } from './needs.tsx';
import './home.css';

export function HomePage() {
  const canReadPosts = useScope('POSTS_READ');
  const canReadAccounts = useScope('ACCOUNTS_READ');
  const canReadWebhooks = useScope('WEBHOOKS_READ');
  return (
    <Page title="Home">
      {(canReadPosts || canReadAccounts || canReadWebhooks) && (
        <Section title="Needs you">
          <Needs />
        </Section>
      )}
      {canReadPosts && <Next />}
      {(canReadPosts || canReadWebhooks) && (
        <Charts canReadPosts={canReadPosts} canReadWebhooks={canReadWebhooks} />
      )}
      {!canReadPosts && !canReadAccounts && !canReadWebhooks && (
        <p>This key can read neither posts, accounts nor webhooks.</p>
      )}
    </Page>
  );
}

function Next() {
  // The same moment for as long as the page is open, so that the query stays the same.
  const [from] = useState(() => new Date(now()).toISOString());
  const { data, problem } = useData(NextPosts, { from }, followPosts);
  const posts = data?.posts?.nodes ?? [];
  return (
    <Section title="Next posts">
      <ProblemNote problem={visibleProblem(problem)} />
      {data && posts.length === 0 && (
        <Empty title="No post is scheduled">
          <p>
            <Link to="/compose">Schedule one</Link>
          </p>
        </Empty>
      )}
      <ul className="list" aria-label="Next posts">
        {posts.map((post) => (
          <PostItem key={post.id} post={post} />
        ))}
      </ul>
    </Section>
  );
}
