// The images and videos of a post.
import { OuterLink } from '../parts/link.tsx';
import type { PostData } from './post-documents.ts';

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
  if (url && item.media?.kind === 'VIDEO')
    return <video src={url} controls aria-label={alt || 'Video'} />;
  const name = item.media?.filename ?? item.url ?? 'A file whose bytes were removed';
  return item.url ? <OuterLink href={item.url}>{name}</OuterLink> : <span>{name}</span>;
}
