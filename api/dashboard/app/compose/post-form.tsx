// The form for a new post, and for a draft or a scheduled one.
import { useEffect, useState, type ReactNode } from 'react';
import type { Uploads } from '../media/use-uploads.ts';
import { Button } from '../components/button.tsx';
import { AreaField, TextField } from '../components/field.tsx';
import { FormIssues } from '../components/form-issues.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { AccountField } from './account-field.tsx';
import { AccountPanel } from './account-panel.tsx';
import type { AccountChoice, NetworkRules } from './compose-documents.ts';
import { toInput, type Draft } from './draft.ts';
import { FixedTargets } from './fixed-targets.tsx';
import { MediaField } from './media-field.tsx';
import { OtherIssues } from './issues/other-issues.tsx';
import { missingInForm, postIssues } from './issues/post-issues.ts';
import { ThreadParts } from './thread-parts.tsx';
import { useDraft } from './use-draft.ts';
import { useSubmit, type Destination } from './use-submit.ts';
import { useValidation } from './issues/use-validation.ts';
import { WhenField } from './when-field.tsx';

interface PostFormProps {
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
  /** What the form is opened with. */
  initial: Draft;
  /** See `StoredPost`. */
  areTargetsFixed: boolean;
  uploads: Uploads;
  to: Destination;
  /** What can be done instead of sending it. */
  actions: ReactNode;
}

const submitTexts = {
  now: 'Publish now',
  time: 'Schedule',
  queue: 'Add to the queue',
  draft: 'Save the draft',
} as const;

export function PostForm(props: PostFormProps) {
  const { accounts, rules, areTargetsFixed, uploads, to, actions } = props;
  const { draft, change, changeAccount, choose } = useDraft(props.initial);
  const { post, unsent } = to;
  useEffect(() => unsent?.keep(draft), [unsent, draft]);

  const chosen = accounts.filter(({ id }) => draft.accounts[id]);
  const chosenRules = rules.filter(({ platform }) =>
    chosen.some((account) => account.platform === platform),
  );
  const { media } = uploads;
  const input = toInput({ draft, media, accounts, rules });
  const isPublished = draft.when.kind === 'now';
  const { submit, problem, isRunning } = useSubmit({ to, input, isPublished });
  const isChecked = chosen.length > 0 && (draft.caption !== '' || media.length > 0);
  const checked = useValidation(isChecked ? input : undefined);
  const problems = [problem, checked.problem];
  const found = postIssues({ input, draft, chosen, validation: checked.validation, problems });
  const hasTargets = draft.when.kind === 'draft' || chosen.length > 0 || areTargetsFixed;
  const isSending = media.some(({ upload }) => upload?.state === 'sending');
  const missing = missingInForm(media, hasTargets);
  // Each press of the button that the form refuses.
  const [refusal, setRefusal] = useState<object>();
  const issues = refusal ? [...found.issues, ...missing] : found.issues;
  const problemOfForm = problems.find((one) => one && one.code !== 'validation_error');

  async function send(): Promise<void> {
    if (missing.length > 0 || !(await submit())) setRefusal({});
  }

  return (
    <FormIssues className="compose" issues={issues} refusal={refusal}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {post && areTargetsFixed ? (
          <FixedTargets results={post.results} />
        ) : (
          <AccountField
            accounts={accounts}
            chosen={new Set(Object.keys(draft.accounts))}
            onChange={choose}
          />
        )}
        <AreaField
          label="Text"
          at="caption"
          rows={7}
          value={draft.caption}
          onChange={({ target }) => change({ caption: target.value })}
        />
        <MediaField uploads={uploads} part={undefined} />
        {!areTargetsFixed && (
          <ThreadParts
            parts={draft.parts}
            uploads={uploads}
            rules={chosenRules.filter(({ threads }) => threads)}
            errors={found.errors}
            onChange={(parts) => change({ parts })}
          />
        )}
        <TextField
          label="Labels, separated by commas"
          at="labels"
          value={draft.labels}
          onChange={({ target }) => change({ labels: target.value })}
        />
        <WhenField when={draft.when} onChange={(when) => change({ when })} />
        <div role="status">
          <OtherIssues />
        </div>
        <ProblemNote problem={problemOfForm} />
        <div className="actions">
          <Button type="submit" look="main" isDisabled={isSending} isRunning={isRunning}>
            {submitTexts[draft.when.kind]}
          </Button>
          {actions}
          {isSending && <span className="quiet">Wait for the uploads.</span>}
        </div>
      </form>
      <div className="panels">
        {chosen.map((account) => (
          <AccountPanel
            key={account.id}
            account={account}
            rules={rules.find(({ platform }) => platform === account.platform)}
            own={draft.accounts[account.id]!}
            draft={draft}
            media={media}
            issues={issues}
            errors={found.errors.filter(({ accountId }) => accountId === account.id)}
            onChange={(own) => changeAccount(account.id, own)}
          />
        ))}
      </div>
    </FormIssues>
  );
}
