// The form for a new post.
import { useMemo, useState } from 'react';
import { useAction } from '../api/use-data.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { randomId } from '../parts/random-id.ts';
import { navigate } from '../parts/router.ts';
import { AccountField } from './account-field.tsx';
import { AccountPanel } from './account-panel.tsx';
import { CreatePost, type AccountChoice, type NetworkRules } from './compose-documents.ts';
import { newDraft, toInput, type AccountDraft, type Draft } from './draft.ts';
import { IssueList } from './issue-list.tsx';
import { MediaField } from './media-field.tsx';
import { useUploads } from './use-uploads.ts';
import { useValidation } from './use-validation.ts';
import { WhenField } from './when-field.tsx';

interface NewPostFormProps {
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
  /** The day and time that the person clicked in the calendar. */
  at: string | undefined;
}

export const submitTexts = {
  now: 'Publish now',
  time: 'Schedule',
  queue: 'Add to the queue',
  draft: 'Save the draft',
} as const;

export function NewPostForm({ accounts, rules, at }: NewPostFormProps) {
  const [draft, setDraft] = useState<Draft>(() => newDraft([], at));
  const uploads = useUploads([]);
  const { run, problem, isRunning } = useAction();

  const change = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }));
  const changeAccount = (id: string, own: AccountDraft) =>
    setDraft((old) => ({ ...old, accounts: { ...old.accounts, [id]: own } }));
  const choose = (id: string, isChosen: boolean) =>
    setDraft((old) => {
      const { [id]: own, ...others } = old.accounts;
      return { ...old, accounts: isChosen ? { ...others, [id]: own ?? { options: {} } } : others };
    });

  const chosen = accounts.filter(({ id }) => draft.accounts[id]);
  const isDraft = draft.when.kind === 'draft';
  const isBegun = chosen.length > 0 && (draft.caption !== '' || uploads.media.length > 0);
  const input = toInput({ draft, media: uploads.media, accounts, rules });
  // If the answer is lost, the same post is not created twice. A changed one is another post.
  const content = JSON.stringify(input);
  const idempotencyKey = useMemo(randomId, [content]);
  const checked = useValidation(isBegun ? input : undefined);
  const { errors = [], warnings = [] } = checked.validation ?? {};
  const isSending = uploads.media.some(({ state }) => state === 'sending');
  const isReady = (isDraft || chosen.length > 0) && !isSending && errors.length === 0;

  async function create(): Promise<void> {
    const created = (await run(CreatePost, { input: { ...input, idempotencyKey } }))?.createPost;
    if (created) navigate(`/posts/${created.id}`);
  }

  return (
    <div className="compose">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <AccountField
          accounts={accounts}
          chosen={new Set(Object.keys(draft.accounts))}
          onChange={choose}
        />
        <label className="field">
          Text
          <textarea
            rows={7}
            value={draft.caption}
            onChange={({ target }) => change({ caption: target.value })}
          />
        </label>
        <MediaField uploads={uploads} />
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
          {isSending && <span className="quiet">Wait for the uploads.</span>}
          {!isDraft && chosen.length === 0 && <span className="quiet">Choose an account.</span>}
        </div>
      </form>
      <div className="panels">
        {chosen.map((account) => (
          <AccountPanel
            key={account.id}
            account={account}
            rules={rules.find(({ platform }) => platform === account.platform)}
            own={draft.accounts[account.id]!}
            caption={draft.caption}
            media={uploads.media}
            issues={errors.filter(({ accountId }) => accountId === account.id)}
            warnings={warnings.filter(({ accountId }) => accountId === account.id)}
            onChange={(own) => changeAccount(account.id, own)}
          />
        ))}
      </div>
    </div>
  );
}
