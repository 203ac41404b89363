// The media of a post, or of a part of a thread: new files with their progress, earlier uploads, and descriptions.
import { ChooseUploads } from '../media/choose-uploads.tsx';
import { DropFiles, UploadItem } from '../media/drop-files.tsx';
import type { Uploads } from '../media/use-uploads.ts';
import { TextField } from '../components/field.tsx';

interface MediaFieldProps {
  uploads: Uploads;
  /** Undefined: the first part, or a post that is no thread. */
  part: string | undefined;
  legend?: string;
}

export function MediaField({ uploads, part, legend = 'Media' }: MediaFieldProps) {
  const own = uploads.media.filter((medium) => medium.part === part);
  return (
    <fieldset>
      <legend>{legend}</legend>
      <DropFiles onFiles={(files) => uploads.add(files, part)} />
      <ChooseUploads
        taken={new Set(own.map(({ mediaId }) => mediaId))}
        onChoose={(medium) => uploads.attach({ ...medium, part })}
      />
      <ul className="list" aria-label={`${legend} of the post`}>
        {own.map((medium) => (
          <UploadItem key={medium.key} medium={medium} uploads={uploads}>
            {medium.kind !== 'other' && (
              <TextField
                label="Alt text"
                value={medium.altText}
                onChange={({ target }) => uploads.change(medium.key, { altText: target.value })}
              />
            )}
          </UploadItem>
        ))}
      </ul>
    </fieldset>
  );
}
