// The media of a post, or of a part of a thread: new files with their progress, earlier uploads, and descriptions.
import { ChooseUploads } from '../media/choose-uploads.tsx';
import { DropFiles, UploadItem } from '../media/drop-files.tsx';
import type { Medium } from '../media/medium.ts';
import type { Uploads } from '../media/use-uploads.ts';
import { TextField } from '../components/field.tsx';
import { GroupIssues } from '../components/form-issues.tsx';

interface MediaFieldProps {
  uploads: Uploads;
  /** Undefined: the first part, or a post that is no thread. */
  part: string | undefined;
  legend?: string;
}

export function MediaField({ uploads, part, legend = 'Media' }: MediaFieldProps) {
  const own = uploads.media.filter((medium) => medium.part === part);
  const at = part === undefined ? 'media' : `parts.${part}.media`;
  // The API counts only those that it gets.
  const complete = own.filter(({ mediaId, url }) => mediaId ?? url);
  return (
    <fieldset>
      <legend>{legend}</legend>
      <GroupIssues at={at} label={legend} />
      <DropFiles onFiles={(files) => uploads.add(files, part)} />
      <ChooseUploads
        taken={new Set(own.map(({ mediaId }) => mediaId))}
        onChoose={(medium) => uploads.attach({ ...medium, part })}
      />
      <ul className="list" aria-label={`${legend} of the post`}>
        {own.map((medium) => (
          <UploadItem key={medium.key} medium={medium} uploads={uploads}>
            <MediumFields
              medium={medium}
              at={complete.includes(medium) ? `${at}.${complete.indexOf(medium)}` : undefined}
              uploads={uploads}
            />
          </UploadItem>
        ))}
      </ul>
    </fieldset>
  );
}

interface MediumFieldsProps {
  medium: Medium;
  /** Undefined: the API doesn't get it yet. */
  at: string | undefined;
  uploads: Uploads;
}

function MediumFields({ medium: { key, kind, name, altText }, at, uploads }: MediumFieldsProps) {
  return (
    <>
      {at !== undefined && <GroupIssues at={at} label={name} />}
      {kind !== 'other' && (
        <TextField
          label="Alt text"
          at={at && `${at}.altText`}
          value={altText}
          onChange={({ target }) => uploads.change(key, { altText: target.value })}
        />
      )}
    </>
  );
}
