// An image, a video or a document: what it is, and what can be done with it.
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status, toWords } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { DeleteMedia, type MediaData } from './media-documents.ts';

interface MediaItemProps {
  medium: MediaData;
  /** What this browser has uploaded itself. The API shows pictures only of media that it fetched. */
  picture: string | undefined;
  /** Undefined: the key can't upload. */
  onResume: ((file: File, mediaId: string) => void) | undefined;
  reload(): void;
}

export function MediaItem({ medium, picture, onResume, reload }: MediaItemProps) {
  const { run, problem } = useAction();
  const { id, status, url, createdAt } = medium;
  const name = medium.filename ?? url ?? id;
  const isGone = status === 'DELETED';
  const isUpload = status === 'PENDING' && url === null;
  async function remove(): Promise<void> {
    if (await run(DeleteMedia, { id })) reload();
  }
  return (
    <li className="medium">
      <Picture medium={medium} src={isGone ? undefined : (picture ?? url ?? undefined)} />
      <div>
        <div className="row">
          <Status value={status} />
          <b className="row-title">{name}</b>
          <span className="push quiet small">
            <Time at={createdAt} />
          </span>
        </div>
        <p className="quiet small">{facts(medium).join(' · ')}</p>
        {isUpload && (
          <p className="small">
            {formatBytes(medium.receivedBytes)} received
            {medium.expiresAt && (
              <>
                . The upload can continue until <Time at={medium.expiresAt} />.
              </>
            )}
          </p>
        )}
        {status === 'UPLOADED' && (
          <p className="small">Fanfare deletes it after a while, unless a post uses it.</p>
        )}
        {status === 'ATTACHED' && (
          <p className="small">
            Fanfare deletes it some time after the last post that uses it was published.
          </p>
        )}
        {medium.errorMessage && <p className="problem-text">{medium.errorMessage}</p>}
        <p className="quiet small">
          <code>{id}</code>
        </p>
        {onResume && !isGone && (
          <div className="actions">
            {isUpload && (
              <FileTrigger onSelect={(files) => files?.[0] && onResume(files[0], id)}>
                <Button aria-label={`Continue the upload of ${name}`}>Continue the upload</Button>
              </FileTrigger>
            )}
            <Confirm title={`Delete ${name}?`} button="Delete" onConfirm={remove}>
              <p>Fanfare removes the bytes. What is public on networks stays there.</p>
            </Confirm>
          </div>
        )}
        <ProblemNote problem={problem} />
      </div>
    </li>
  );
}

export function Picture({ medium, src }: { medium: MediaData; src: string | undefined }) {
  const { kind, filename } = medium;
  // The name is beside it.
  if (src && kind === 'IMAGE') return <img src={src} alt="" loading="lazy" />;
  if (src?.startsWith('blob:') && kind === 'VIDEO') {
    return <video src={src} preload="metadata" muted aria-label={`Video ${filename ?? ''}`} />;
  }
  return <span className="blank">{kind === null ? 'File' : toWords(kind)}</span>;
}

export function facts({ contentType, sizeBytes, width, height, durationMs }: MediaData): string[] {
  return [
    contentType ?? 'Unknown type',
    ...(sizeBytes === null ? [] : [formatBytes(sizeBytes)]),
    ...(width === null || height === null ? [] : [`${width} × ${height}`]),
    ...(durationMs === null ? [] : [`${(durationMs / 1_000).toFixed(1)} s`]),
  ];
}

const units = ['bytes', 'kB', 'MB', 'GB'];

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1_000 ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${units[power]}`;
}
