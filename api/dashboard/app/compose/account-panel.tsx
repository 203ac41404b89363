// What one account gets: its own text and options, what is wrong, and how the post will look.
import { CheckField, TextField } from '../parts/field.tsx';
import { accountTitle } from './account-field.tsx';
import type { AccountChoice, Issue, NetworkRules } from './compose-documents.ts';
import type { AccountDraft } from './draft.ts';
import { IssueList } from './issue-list.tsx';
import { OptionFields } from './options/option-fields.tsx';
import type { OptionSchema } from './options/option-schema.ts';
import { Preview } from './preview.tsx';
import { TextCount } from './text-count-note.tsx';
import type { Medium } from './use-uploads.ts';

interface AccountPanelProps {
  account: AccountChoice;
  rules: NetworkRules | undefined;
  own: AccountDraft;
  caption: string;
  media: readonly Medium[];
  issues: readonly Issue[];
  warnings: readonly Issue[];
  onChange(own: AccountDraft): void;
}

export function AccountPanel(props: AccountPanelProps) {
  const { account, rules, own, caption, media, issues, warnings, onChange } = props;
  const title = accountTitle(account);
  const schema = rules?.options as OptionSchema | undefined;
  const hasOptions = Object.keys(schema?.properties ?? {}).length > 0;
  const text = own.caption ?? caption;
  return (
    <section className="card account-panel" aria-label={title}>
      <div className="row">
        <h3>{title}</h3>
        {rules && (
          <TextCount text={text} rules={rules.text} hasMedia={media.length > 0} issues={issues} />
        )}
      </div>
      <IssueList issues={issues} warnings={warnings} />
      <Preview title={title} text={text} media={media} />
      <CheckField
        label="Another text for this account"
        checked={own.caption !== undefined}
        onChange={({ target }) => {
          const { caption: _, ...others } = own;
          onChange(target.checked ? { ...others, caption } : others);
        }}
      />
      {own.caption !== undefined && (
        <label className="field">
          Text for {title}
          <textarea
            rows={5}
            value={own.caption}
            onChange={({ target }) => onChange({ ...own, caption: target.value })}
          />
        </label>
      )}
      <details>
        <summary>First comment{hasOptions && ' and options'}</summary>
        <div className="form">
          <TextField
            label="First comment"
            value={own.firstComment ?? ''}
            onChange={({ target }) => onChange({ ...own, firstComment: target.value })}
          />
          {schema && (
            <OptionFields
              schema={schema}
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
