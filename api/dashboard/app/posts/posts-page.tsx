// The list of posts.
import { useData } from '../api/use-data.ts';
import { dayBounds } from '../browser/days.ts';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { useFilters } from '../browser/router.ts';
import { useScope } from '../session/session.ts';
import { postFilters, postVariables } from './filter-fields.tsx';
import { followPosts, PostList } from './post-documents.ts';
import { PostFilters } from './post-filters.tsx';
import { PostItem } from './post-item.tsx';

const pageSize = 25;

export function PostsPage() {
  const [filters] = useFilters();
  const { q, scheduled, published, after } = filters;
  const scheduledOn = dayBounds(scheduled);
  const publishedOn = dayBounds(published);
  const canWrite = useScope('POSTS_WRITE');
  const isFiltered = Boolean(postFilters(filters).size > 0 || q || scheduledOn || publishedOn);
  const posts = useData(
    PostList,
    {
      first: pageSize,
      after: after ?? null,
      ...postVariables(filters),
      q: q ?? null,
      scheduledFrom: scheduledOn?.from ?? null,
      scheduledTo: scheduledOn?.to ?? null,
      publishedFrom: publishedOn?.from ?? null,
      publishedTo: publishedOn?.to ?? null,
      orderBy: scheduledOn ? 'SCHEDULED_AT_ASC' : null,
    },
    followPosts,
  );
  return (
    <Page
      title="Posts"
      actions={
        canWrite && (
          <Link to="/compose" className="button button-main">
            New post
          </Link>
        )
      }
    >
      <PostFilters />
      <Loaded of={posts} pick={(data) => data.posts}>
        {({ nodes, pageInfo, totalCount }) => (
          <>
            {nodes.length > 0 && totalCount && (
              <p className="quiet small">
                {totalCount.isCapped ? 'More than ' : ''}
                {totalCount.value.toLocaleString('en')} {totalCount.value === 1 ? 'post' : 'posts'}
              </p>
            )}
            {nodes.length === 0 && (isFiltered || after) && (
              <Empty title="No post matches these filters">
                <p>
                  <Link to="/posts">Show all posts</Link>
                </p>
              </Empty>
            )}
            {nodes.length === 0 && !isFiltered && !after && (
              <Empty title="There is no post yet">
                <p>
                  {canWrite ? (
                    <Link to="/compose">Write the first one</Link>
                  ) : (
                    'Posts appear here as soon as your program creates one.'
                  )}
                </p>
              </Empty>
            )}
            <ul className="list" aria-label="Posts">
              {nodes.map((post) => (
                <PostItem key={post.id} post={post} />
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
