// The form for a new post, and for a draft or a scheduled one.
import { useEffect, type ReactNode } from 'react';
import type { Uploads } from '../media/use-uploads.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { AccountField } from './account-field.tsx';
import { AccountPanel } from './account-panel.tsx';
import type { AccountChoice, NetworkRules } from './compose-documents.ts';
import { laterPartOf, toInput, type Draft } from './draft.ts';
import { FixedTargets } from './fixed-targets.tsx';
import { IssueList } from './issue-list.tsx';
import { MediaField } from './media-field.tsx';
import { ThreadParts } from './thread-parts.tsx';
import { useDraft } from './use-draft.ts';
import { useSubmit, type Destination } from './use-submit.ts';
import { useValidation } from './use-validation.ts';
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
  const isDraft = draft.when.kind === 'draft';
  const isBegun = chosen.length > 0 && (draft.caption !== '' || uploads.media.length > 0);
  const input = toInput({ draft, media: uploads.media, accounts, rules });
  const isPublished = draft.when.kind === 'now';
  const { submit, problem, isRunning } = useSubmit({ to, input, isPublished });
  const checked = useValidation(isBegun ? input : undefined);
  const { errors = [], warnings = [] } = checked.validation ?? {};
  const isSending = uploads.media.some(({ upload }) => upload?.state === 'sending');
  const hasTargets = isDraft || chosen.length > 0 || areTargetsFixed;
  const isReady = hasTargets && !isSending && errors.length === 0;

  return (
    <div className="compose">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
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
        <label className="field">
          Text
          <textarea
            rows={7}
            value={draft.caption}
            onChange={({ target }) => change({ caption: target.value })}
          />
        </label>
        <MediaField uploads={uploads} part={undefined} />
        {!areTargetsFixed && (
          <ThreadParts
            parts={draft.parts}
            uploads={uploads}
            rules={chosenRules.filter(({ threads }) => threads)}
            issuesOf={(position) =>
              errors.filter(({ path }) => laterPartOf(input, path) === position)
            }
            onChange={(parts) => change({ parts })}
          />
        )}
        <TextField
          label="Labels, separated by commas"
          value={draft.labels}
          onChange={({ target }) => change({ labels: target.value })}
        />
        <WhenField when={draft.when} onChange={(when) => change({ when })} />
        <div role="status">
          <IssueList
            issues={errors.filter(({ accountId }) => accountId === null)}
            warnings={warnings.filter(({ accountId }) => accountId === null)}
          />
        </div>
        <ProblemNote problem={problem ?? checked.problem} />
        <div className="actions">
          <Button type="submit" look="main" isDisabled={!isReady} isRunning={isRunning}>
            {submitTexts[draft.when.kind]}
          </Button>
          {actions}
          {isSending && <span className="quiet">Wait for the uploads.</span>}
          {!hasTargets && <span className="quiet">Choose an account.</span>}
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
            media={uploads.media}
            issues={errors.filter(({ accountId }) => accountId === account.id)}
            warnings={warnings.filter(({ accountId }) => accountId === account.id)}
            isOfLaterPart={({ path }) => laterPartOf(input, path) !== undefined}
            onChange={(own) => changeAccount(account.id, own)}
          />
        ))}
      </div>
    </div>
  );
}
