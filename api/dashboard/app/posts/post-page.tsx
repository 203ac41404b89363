// One post: its content, and each target on its way.
import { useData } from '../api/use-data.ts';
import { CodeText } from '../components/code-text.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page, Section, type PageProps } from '../components/page.tsx';
import { Status, toWords } from '../components/status.tsx';
import { ExactTime, Time } from '../components/time.tsx';
import { ownZone } from '../browser/days.ts';
import { useScope } from '../session/session.ts';
import { followPost, OnePost, type PostData } from './post-detail-documents.ts';
import { PostDeliveries } from './post-deliveries.tsx';
import { titleOf } from './post-item.tsx';
import { PostMedia } from './post-media.tsx';
import { PostTools } from './post-tools.tsx';
import { TargetCard } from './target-card.tsx';
import './post-page.css';

export function PostPage({ id }: PageProps) {
  const canReadWebhooks = useScope('WEBHOOKS_READ');
  const found = useData(OnePost, { id }, followPost(id));
  const title = titleOf(found.data?.post?.caption ?? 'Post');
  return (
    <Page title={title}>
      <Loaded
        of={found}
        pick={({ post }) => post}
        missing="The post was deleted, or never existed."
      >
        {(post) => (
          <>
            <PostTools post={post} reload={found.reload} />
            <Facts post={post} />
            {post.caption !== '' && <p className="card text">{post.caption}</p>}
            <PostMedia media={post.media} />
            {post.warnings.length > 0 && (
              <ul className="note">
                {post.warnings.map(({ path, message }) => (
                  <li key={`${path} ${message}`}>
                    <code>{path}</code> <CodeText text={message} />
                  </li>
                ))}
              </ul>
            )}
            <Section title={post.results.length === 1 ? 'Target' : 'Targets'}>
              {post.results.length === 0 && (
                <p className="quiet">This draft has no account yet. Edit it to choose some.</p>
              )}
              <ul className="list">
                {post.results.map((target) => (
                  <TargetCard key={target.id} post={post} target={target} reload={found.reload} />
                ))}
              </ul>
            </Section>
            {canReadWebhooks && <PostDeliveries postId={id} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ post }: { post: PostData }) {
  const { schedule, createdBy } = post;
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <Status value={post.status} />
      </dd>
      {post.scheduledAt && (
        <>
          <dt>Scheduled</dt>
          <dd>
            <ExactTime at={post.scheduledAt} />
            {schedule &&
              schedule.timezone !== ownZone &&
              `, ${schedule.local.replace('T', ' ')} in ${schedule.timezone}`}
          </dd>
        </>
      )}
      {post.publishedAt && (
        <>
          <dt>Published</dt>
          <dd>
            <Time at={post.publishedAt} />
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={post.createdAt} /> by {createdBy.name ?? toWords(createdBy.type)}
      </dd>
      {post.labels.length > 0 && (
        <>
          <dt>Labels</dt>
          <dd>{post.labels.join(', ')}</dd>
        </>
      )}
      <dt>ID</dt>
      <dd>
        <code>{post.id}</code>
      </dd>
    </dl>
  );
}
