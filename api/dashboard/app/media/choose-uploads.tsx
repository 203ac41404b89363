// A choice among the files that were uploaded last.
import { useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Time } from '../components/time.tsx';
import { useScope } from '../session/session.ts';
import { followMedia, RecentMedia, type MediaData } from './media-documents.ts';
import { facts, Picture } from './media-item.tsx';
import type { Medium } from './medium.ts';
import { useMediaUploads } from './use-uploads.ts';
import './media.css';

/** A file that is complete. */
type Chosen = Omit<Medium, 'key'> & { mediaId: string };

interface ChooseUploadsProps {
  button?: string;
  /** The IDs of those that are chosen already. */
  taken: ReadonlySet<string | undefined>;
  isImage?: boolean;
  onChoose(medium: Chosen): void;
}

export function ChooseUploads(props: ChooseUploadsProps) {
  const canRead = useScope('POSTS_READ');
  const { button = 'Choose from recent uploads' } = props;
  if (!canRead) return null;
  return (
    <Dialog title="Recent uploads" button={button}>
      {(close) => (
        <>
          <RecentUploads {...props} />
          <div className="actions">
            <Button look="main" onPress={close}>
              Done
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function RecentUploads({ taken, isImage = false, onChoose }: ChooseUploadsProps) {
  const found = useData(RecentMedia, {}, followMedia);
  const { media } = useMediaUploads();
  const previews = new Map(media.map(({ mediaId, previewUrl }) => [mediaId, previewUrl] as const));
  return (
    <Loaded
      of={found}
      pick={({ uploaded, attached }) => [...(uploaded?.nodes ?? []), ...(attached?.nodes ?? [])]}
    >
      {(all) => {
        const shown = all
          .filter(({ kind }) => !isImage || kind === 'IMAGE')
          .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
        if (shown.length === 0) return <p>Nothing was uploaded lately.</p>;
        return (
          <ul className="list" aria-label="Recent uploads">
            {shown.map((medium) => (
              <li key={medium.id} className="medium">
                <Picture medium={medium} src={previews.get(medium.id) ?? medium.url ?? undefined} />
                <div>
                  <div className="row">
                    <b className="row-title">{nameOf(medium)}</b>
                    <span className="push">
                      {taken.has(medium.id) ? (
                        <span className="quiet">Chosen</span>
                      ) : (
                        <Button
                          aria-label={`Choose ${nameOf(medium)}`}
                          onPress={() => onChoose(toChosen(medium, previews.get(medium.id)))}
                        >
                          Choose
                        </Button>
                      )}
                    </span>
                  </div>
                  <p className="quiet small">
                    {facts(medium).join(' · ')} · <Time at={medium.createdAt} />
                  </p>
                </div>
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

const nameOf = ({ filename, url, id }: MediaData): string => filename ?? url ?? id;

function toChosen(medium: MediaData, previewUrl: string | undefined): Chosen {
  const { id, kind, url } = medium;
  return {
    mediaId: id,
    name: nameOf(medium),
    kind: kind === 'IMAGE' ? 'image' : kind === 'VIDEO' ? 'video' : 'other',
    previewUrl: previewUrl ?? url ?? undefined,
    altText: '',
  };
}
