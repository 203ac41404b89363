// What one account gets: its own text and options, what is wrong, and how the post will look.
import { useEffect, useRef } from 'react';
import type { Medium } from '../media/medium.ts';
import { AreaField, CheckField, TextField } from '../components/field.tsx';
import { GroupIssues } from '../components/form-issues.tsx';
import { fieldOf, type FormIssue } from '../components/issue-text.ts';
import { platformName } from '../components/platform-name.ts';
import { accountTitle } from '../components/account-title.ts';
import type { AccountChoice, NetworkRules } from './compose-documents.ts';
import type { AccountDraft, Draft } from './draft.ts';
import { OptionFields } from './options/option-fields.tsx';
import type { OptionSchema } from './options/option-schema.ts';
import type { PlacedIssue } from './issues/post-issues.ts';
import { Preview } from './preview.tsx';
import { TextCount } from './text-count-note.tsx';

interface AccountPanelProps {
  account: AccountChoice;
  rules: NetworkRules | undefined;
  own: AccountDraft;
  draft: Draft;
  media: readonly Medium[];
  issues: readonly FormIssue[];
  /** What the API says about this account. */
  errors: readonly PlacedIssue[];
  onChange(own: AccountDraft): void;
}

export function AccountPanel(props: AccountPanelProps) {
  const { account, rules, own, draft, issues, errors, onChange } = props;
  const title = accountTitle(account);
  const schema = rules?.options as OptionSchema | undefined;
  const hasOptions = Object.keys(schema?.properties ?? {}).length > 0;
  const text = own.caption ?? draft.caption;
  const isThread = draft.parts.length > 0 && rules?.threads === true;
  const mediaOf = (part: string | undefined) => props.media.filter((one) => one.part === part);
  const media = own.media === undefined ? mediaOf(undefined) : [];
  const at = `accounts.${account.id}`;
  const hidden = [`${at}.firstComment`, `${at}.options`] as const;
  // Nobody finds a problem in a part that is closed.
  const more = useRef<HTMLDetailsElement>(null);
  const hasHidden = issues.some((issue) => fieldOf(issue.at, hidden) !== undefined);
  useEffect(() => {
    if (hasHidden && more.current) more.current.open = true;
  }, [hasHidden]);
  return (
    <section className="card account-panel" aria-label={title}>
      <div className="row">
        <h3>{title}</h3>
        {rules && (
          <TextCount
            text={text}
            rules={rules.text}
            hasMedia={media.length > 0}
            issues={errors.filter((issue) => !issue.at.startsWith('parts.'))}
          />
        )}
      </div>
      <GroupIssues at={at} label={title} />
      <Preview title={title} text={text} media={media} />
      {isThread &&
        draft.parts.map(({ key, caption }, at) => (
          <Preview
            key={key}
            title={`part ${at + 2} for ${title}`}
            text={caption}
            media={mediaOf(key)}
          />
        ))}
      {draft.parts.length > 0 && !isThread && (
        <p className="small">
          {platformName(account.platform)} takes no threads. This account gets only the first part.
        </p>
      )}
      {own.media !== undefined && (
        <CheckField
          label={`Media of its own (${own.media.length})`}
          checked
          onChange={() => {
            const { media: _, ...others } = own;
            onChange(others);
          }}
        />
      )}
      <CheckField
        label="Another text for this account"
        checked={own.caption !== undefined}
        onChange={({ target }) => {
          const { caption: _, ...others } = own;
          onChange(target.checked ? { ...others, caption: draft.caption } : others);
        }}
      />
      {own.caption !== undefined && (
        <AreaField
          label={`Text for ${title}`}
          at={`${at}.caption`}
          rows={5}
          value={own.caption}
          onChange={({ target }) => onChange({ ...own, caption: target.value })}
        />
      )}
      <details ref={more}>
        <summary>First comment{hasOptions && ' and options'}</summary>
        <div className="form">
          {isThread && (
            <p className="quiet small">
              They belong to the first part. Later parts get its choices too, such as who sees it.
            </p>
          )}
          <TextField
            label="First comment"
            at={hidden[0]}
            value={own.firstComment ?? ''}
            onChange={({ target }) => onChange({ ...own, firstComment: target.value })}
          />
          {schema && (
            <OptionFields
              schema={schema}
              at={hidden[1]}
              values={own.options}
              accountId={account.id}
              onChange={(options) => onChange({ ...own, options })}
            />
          )}
        </div>
      </details>
    </section>
  );
}
