// A logo of the project: shown, uploaded, chosen among the uploads, removed.
import { useId, useState } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button } from '../components/button.tsx';
import { useFieldIssues } from '../components/form-issues.tsx';
import { ChooseUploads } from '../media/choose-uploads.tsx';
import type { Uploads } from '../media/use-uploads.ts';
import { scopeName, useScope } from '../session/session.ts';
import './settings.css';

interface LogoFieldProps {
  label: string;
  /** Also the name of its uploads among those of the form. */
  name: string;
  /** Where the current one is. Null: the project has none. */
  current: { mediaId: string; url: string } | null;
  uploads: Uploads;
}

const types = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'];

export function LogoField({ label, name, current, uploads }: LogoFieldProps) {
  const id = useId();
  const [isRemoved, setIsRemoved] = useState(false);
  const canUpload = useScope('POSTS_WRITE');
  const issues = useFieldIssues(name, () => label, id);
  const chosen = uploads.media.findLast(({ part }) => part === name);
  const isFailed = chosen?.upload?.state === 'failed';
  const kept = isRemoved ? null : current;
  const shown = chosen && !isFailed ? chosen : undefined;
  const url = shown?.previewUrl ?? kept?.url;

  function remove(): void {
    for (const { key, part } of uploads.media) if (part === name) uploads.remove(key);
    setIsRemoved(true);
  }

  return (
    <fieldset>
      <legend>{label}</legend>
      <input type="hidden" name={name} value={shown?.mediaId ?? kept?.mediaId ?? ''} />
      {url !== undefined && (
        <p>
          <img className={`logo logo-${name}`} src={url} alt={label} />
        </p>
      )}
      {shown && url === undefined && <p>{shown.name}</p>}
      {isFailed && <p className="problem-text">{chosen.upload?.problem}</p>}
      {issues.note}
      <div className="actions">
        {canUpload && (
          <FileTrigger
            acceptedFileTypes={types}
            onSelect={(files) => files && uploads.add(files, name)}
          >
            <Button aria-label={`Upload a picture: ${label}`}>Upload a picture</Button>
          </FileTrigger>
        )}
        <ChooseUploads
          taken={new Set([shown?.mediaId ?? kept?.mediaId])}
          isImage
          onChoose={(medium) => uploads.attach({ ...medium, part: name })}
        />
        {(shown ?? kept) && (
          <Button look="quiet" aria-label={`Remove: ${label}`} onPress={remove}>
            Remove
          </Button>
        )}
      </div>
      <p className="quiet small">
        Hosted pages show a copy.
        {!canUpload && (
          <>
            {' '}
            To upload a picture, the key needs the scope <code>{scopeName('POSTS_WRITE')}</code>.
          </>
        )}
      </p>
    </fieldset>
  );
}
