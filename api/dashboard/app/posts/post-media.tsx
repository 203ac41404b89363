// The images and videos of a post.
import { OuterLink } from '../components/link.tsx';
import type { PostData } from './post-detail-documents.ts';

export function PostMedia({ media }: { media: PostData['media'] }) {
  if (media.length === 0) return null;
  return (
    <ul className="media" aria-label="Media">
      {media.map((item, at) => (
        // The same file can be there twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <Medium item={item} />
        </li>
      ))}
    </ul>
  );
}

function Medium({ item }: { item: PostData['media'][number] }) {
  const url = item.media?.url;
  const alt = item.altText ?? '';
  if (url && item.media?.kind === 'IMAGE') return <img src={url} alt={alt} loading="lazy" />;
  const source = url ?? item.url;
  const name = item.media?.filename ?? source ?? 'A file whose bytes were removed';
  return source ? <OuterLink href={source}>{name}</OuterLink> : <span>{name}</span>;
}
