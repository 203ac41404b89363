// The media of a post: dropped or chosen files, their progress and their descriptions.
import { Button } from '../parts/button.tsx';
import { DropZone, type DropZoneProps } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { TextField } from '../parts/field.tsx';
import type { Medium, Uploads } from './use-uploads.ts';

type Dropped = Parameters<NonNullable<DropZoneProps['onDrop']>>[0]['items'];

export function MediaField({ uploads }: { uploads: Uploads }) {
  async function drop(items: Dropped): Promise<void> {
    const files = items.filter((item) => item.kind === 'file').map((item) => item.getFile());
    uploads.add(await Promise.all(files));
  }
  return (
    <fieldset>
      <legend>Media</legend>
      <DropZone
        className="drop"
        aria-label="Drop images and videos here"
        onDrop={({ items }) => void drop(items)}
      >
        <p className="quiet">Drop images or videos here, or</p>
        <FileTrigger allowsMultiple onSelect={(files) => files && uploads.add(files)}>
          <Button>Choose files</Button>
        </FileTrigger>
      </DropZone>
      <ul className="list" aria-label="Media of the post">
        {uploads.media.map((medium) => (
          <MediumItem key={medium.key} medium={medium} uploads={uploads} />
        ))}
      </ul>
    </fieldset>
  );
}

function MediumItem({ medium, uploads }: { medium: Medium; uploads: Uploads }) {
  const { key, name, state } = medium;
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
            {state === 'failed' && (
              <Button look="quiet" onPress={() => uploads.retry(key)}>
                Try again
              </Button>
            )}
            <Button look="quiet" aria-label={`Remove ${name}`} onPress={() => uploads.remove(key)}>
              Remove
            </Button>
          </span>
        </div>
        {state === 'sending' && (
          <progress
            max={medium.sizeBytes}
            value={medium.sentBytes}
            aria-label={`Upload of ${name}`}
          />
        )}
        <p role="alert" className="problem-text">
          {state === 'failed' && medium.problem}
        </p>
        {medium.kind !== 'other' && (
          <TextField
            label="Description for people who can't see it"
            value={medium.altText}
            onChange={(event) => uploads.change(key, { altText: event.target.value })}
          />
        )}
      </div>
    </li>
  );
}
