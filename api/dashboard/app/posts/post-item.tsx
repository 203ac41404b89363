// A post in a list.
import { Link } from '../components/link.tsx';
import { platformName } from '../components/platform-name.ts';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import type { PostRowData } from './post-documents.ts';

const longestTitle = 140;
const mostTargets = 6;

export function PostItem({ post }: { post: PostRowData }) {
  const at = post.publishedAt ?? post.scheduledAt ?? post.createdAt;
  const targets = post.results.slice(0, mostTargets);
  return (
    <li>
      <div className="row">
        <Status value={post.status} />
        <Link to={`/posts/${post.id}`} className="row-title">
          {titleOf(post.caption)}
        </Link>
        <span className="push quiet small">
          <Time at={at} />
        </span>
      </div>
      <div className="row small quiet">
        {targets.map((target) => (
          <span key={target.id}>
            {platformName(target.platform)} {target.accountName}
            {target.status === 'FAILED' && <span className="problem-text"> failed</span>}
          </span>
        ))}
        {post.results.length > mostTargets && (
          <span>and {post.results.length - mostTargets} more</span>
        )}
        {post.labels.map((label) => (
          <span key={label} className="badge">
            {label}
          </span>
        ))}
      </div>
    </li>
  );
}

export function titleOf(caption: string): string {
  const line = caption.trim().split('\n')[0] ?? '';
  if (line === '') return 'Post without text';
  return line.length > longestTitle ? `${line.slice(0, longestTitle)}…` : line;
}
