// The images, videos and documents of the project, and their upload.
import { useData } from '../api/use-data.ts';
import type { MediaStatus } from '../api/schema.ts';
import { Empty } from '../components/empty.tsx';
import { SelectField } from '../components/field.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { useFilters } from '../browser/router.ts';
import { toWords } from '../components/status.tsx';
import { useScope } from '../session/session.ts';
import { DropFiles, UploadItem } from './drop-files.tsx';
import { followMedia, MediaList } from './media-documents.ts';
import { MediaItem } from './media-item.tsx';
import { useMediaUploads } from './use-uploads.ts';

const statuses: readonly MediaStatus[] = ['PENDING', 'UPLOADED', 'ATTACHED', 'FAILED', 'DELETED'];

export function MediaPage() {
  const [{ after, status }, change] = useFilters();
  const canWrite = useScope('POSTS_WRITE');
  const uploads = useMediaUploads();
  const found = useData(
    MediaList,
    { after: after ?? null, status: (status as MediaStatus) ?? null },
    followMedia,
  );
  // What is uploaded is in the list.
  const unfinished = uploads.media.filter(({ upload }) => upload);
  const pictures = new Map(
    uploads.media.map(({ mediaId, previewUrl }) => [mediaId, previewUrl] as const),
  );
  return (
    <Page title="Media">
      {canWrite && (
        <>
          <DropFiles onFiles={uploads.add} />
          {unfinished.length > 0 && (
            <ul className="list" aria-label="Uploads">
              {unfinished.map((medium) => (
                <UploadItem key={medium.key} medium={medium} uploads={uploads} />
              ))}
            </ul>
          )}
        </>
      )}
      <div className="filters">
        <SelectField
          label="Status"
          value={status ?? ''}
          onChange={({ target }) => change({ status: target.value, after: '' })}
          options={[['', 'All'], ...statuses.map((name) => [name, toWords(name)] as const)]}
        />
      </div>
      <Loaded of={found} pick={({ mediaFiles }) => mediaFiles}>
        {({ nodes, pageInfo }) => (
          <>
            {nodes.length === 0 && (
              <Empty title={status ? 'No media have this status' : 'There are no media yet'}>
                <p>
                  {status && <Link to="/media">Show all media</Link>}
                  {!status && canWrite && 'Drop the first image or video above, or write a post. '}
                  {!status && canWrite && <Link to="/compose">Write a post</Link>}
                  {!status && !canWrite && 'Media appear here once your program uploads them.'}
                </p>
              </Empty>
            )}
            <ul className="list" aria-label="Media">
              {nodes.map((medium) => (
                <MediaItem
                  key={medium.id}
                  medium={medium}
                  picture={pictures.get(medium.id)}
                  onResume={canWrite ? uploads.resume : undefined}
                  reload={found.reload}
                />
              ))}
            </ul>
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
