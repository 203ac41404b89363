// The parts of a thread after the first one, each with its own text and media.
import { Button } from '../components/button.tsx';
import { AreaField } from '../components/field.tsx';
import { GroupIssues } from '../components/form-issues.tsx';
import { fieldOf } from '../components/issue-text.ts';
import { platformName } from '../components/platform-name.ts';
import { randomId } from '../browser/random-id.ts';
import type { Uploads } from '../media/use-uploads.ts';
import type { NetworkRules } from './compose-documents.ts';
import type { Part } from './draft.ts';
import { MediaField } from './media-field.tsx';
import type { PlacedIssue } from './issues/post-issues.ts';
import { TextCount } from './text-count-note.tsx';

interface ThreadPartsProps {
  parts: readonly Part[];
  uploads: Uploads;
  /** Those of the chosen networks that take threads. */
  rules: readonly NetworkRules[];
  errors: readonly PlacedIssue[];
  onChange(parts: readonly Part[]): void;
}

export function ThreadParts({ parts, uploads, rules, errors, onChange }: ThreadPartsProps) {
  const remove = (key: string) => {
    for (const medium of uploads.media) if (medium.part === key) uploads.remove(medium.key);
    onChange(parts.filter((part) => part.key !== key));
  };
  return (
    <>
      {parts.map((part, at) => {
        const position = at + 2;
        const place = `parts.${part.key}`;
        const issues = errors.filter((issue) => fieldOf(issue.at, [place]));
        return (
          <fieldset key={part.key} className="form card">
            <legend>Part {position}</legend>
            <GroupIssues at={place} label={`Part ${position}`} />
            <AreaField
              label={`Text of part ${position}`}
              at={`${place}.caption`}
              rows={4}
              value={part.caption}
              onChange={({ target }) =>
                onChange(
                  parts.map((one) =>
                    one.key === part.key ? { ...one, caption: target.value } : one,
                  ),
                )
              }
            />
            {rules.map(({ platform, text }) => (
              <div key={platform} className="row small">
                {platformName(platform)}
                <TextCount
                  text={part.caption}
                  rules={text}
                  hasMedia={uploads.media.some((medium) => medium.part === part.key)}
                  issues={issues.filter((issue) => issue.platform === platform)}
                />
              </div>
            ))}
            <MediaField uploads={uploads} part={part.key} legend={`Media of part ${position}`} />
            <div className="actions">
              <Button look="quiet" onPress={() => remove(part.key)}>
                Remove part {position}
              </Button>
            </div>
          </fieldset>
        );
      })}
      {(rules.length > 0 || parts.length > 0) && (
        <div className="actions">
          <Button onPress={() => onChange([...parts, { key: randomId(), caption: '' }])}>
            {parts.length === 0 ? 'Continue as a thread' : 'Add another part'}
          </Button>
        </div>
      )}
    </>
  );
}
