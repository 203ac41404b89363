// Roughly how the post will look. Each network has its own look.
import type { Medium } from '../media/medium.ts';

interface PreviewProps {
  title: string;
  text: string;
  media: readonly Medium[];
}

export function Preview({ title, text, media }: PreviewProps) {
  return (
    <figure className="preview" aria-label={`Preview for ${title}`}>
      <p className="text">{text === '' ? <span className="quiet">No text yet</span> : text}</p>
      <div className="preview-media">
        {media.map((medium) =>
          medium.kind === 'image' && medium.previewUrl ? (
            <img key={medium.key} src={medium.previewUrl} alt={medium.altText} />
          ) : (
            <span key={medium.key} className="badge">
              {medium.name}
            </span>
          ),
        )}
      </div>
    </figure>
  );
}
