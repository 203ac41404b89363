// Where files are dropped or chosen, and their uploads with their progress.
import type { ReactNode } from 'react';
import { DropZone, type DropZoneProps } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button } from '../components/button.tsx';
import type { Medium } from './medium.ts';
import type { Uploads } from './use-uploads.ts';
import './media.css';

type Dropped = Parameters<NonNullable<DropZoneProps['onDrop']>>[0]['items'];

export function DropFiles({ onFiles }: { onFiles(files: Iterable<File>): void }) {
  async function drop(items: Dropped): Promise<void> {
    const files = items.filter((item) => item.kind === 'file').map((item) => item.getFile());
    onFiles(await Promise.all(files));
  }
  return (
    <DropZone
      className="drop"
      aria-label="Drop images and videos here"
      onDrop={({ items }) => void drop(items)}
    >
      <p className="quiet">Drop images or videos here, or</p>
      <FileTrigger allowsMultiple onSelect={(files) => files && onFiles(files)}>
        <Button>Choose files</Button>
      </FileTrigger>
    </DropZone>
  );
}

interface UploadItemProps {
  medium: Medium;
  uploads: Uploads;
  children?: ReactNode;
}

export function UploadItem({ medium, uploads, children }: UploadItemProps) {
  const { key, name, upload } = medium;
  return (
    <li className="medium">
      {medium.kind === 'image' && medium.previewUrl ? (
        <img src={medium.previewUrl} alt="" />
      ) : (
        <span className="badge">{medium.kind}</span>
      )}
      <div className="field">
        <div className="row">
          <b className="row-title">{name}</b>
          <span className="push">
            {upload?.state === 'failed' && (
              <Button look="quiet" onPress={() => uploads.retry(key)}>
                Try again
              </Button>
            )}
            <Button look="quiet" aria-label={`Remove ${name}`} onPress={() => uploads.remove(key)}>
              Remove
            </Button>
          </span>
        </div>
        {upload?.state === 'sending' && (
          <progress
            max={upload.sizeBytes}
            value={upload.sentBytes}
            aria-label={`Upload of ${name}`}
          />
        )}
        <p role="alert" className="problem-text">
          {upload?.problem}
        </p>
        {children}
      </div>
    </li>
  );
}
