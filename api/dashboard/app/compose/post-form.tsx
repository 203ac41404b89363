// The form for a new post, and for a draft or a scheduled one.
import { useMemo, useState } from 'react';
import { useAction } from '../api/use-data.ts';
import { useUploads } from '../media/use-uploads.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { randomId } from '../parts/random-id.ts';
import { navigate } from '../parts/router.ts';
import { PublishPost, UpdatePost } from '../posts/post-actions.ts';
import { AccountField } from './account-field.tsx';
import { AccountPanel } from './account-panel.tsx';
import {
  CreatePost,
  type AccountChoice,
  type EditedPostData,
  type NetworkRules,
} from './compose-documents.ts';
import { changesOf, laterPartOf, toInput, type AccountDraft, type Draft } from './draft.ts';
import { FixedTargets } from './fixed-targets.tsx';
import { IssueList } from './issue-list.tsx';
import { MediaField } from './media-field.tsx';
import type { StoredPost } from './stored-post.ts';
import { ThreadParts } from './thread-parts.tsx';
import { useValidation } from './use-validation.ts';
import { WhenField } from './when-field.tsx';

interface PostFormProps {
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
  initial: StoredPost;
  /** Undefined: the post is new. */
  post?: EditedPostData;
}

const submitTexts = {
  now: 'Publish now',
  time: 'Schedule',
  queue: 'Add to the queue',
  draft: 'Save the draft',
} as const;

export function PostForm({ accounts, rules, initial, post }: PostFormProps) {
  const [draft, setDraft] = useState<Draft>(initial.draft);
  const uploads = useUploads(initial.media);
  const { run, problem, isRunning } = useAction();
  const { areTargetsFixed } = initial;

  const change = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }));
  const changeAccount = (id: string, own: AccountDraft) =>
    setDraft((old) => ({ ...old, accounts: { ...old.accounts, [id]: own } }));
  const choose = (id: string, isChosen: boolean) =>
    setDraft((old) => {
      const { [id]: own, ...others } = old.accounts;
      return { ...old, accounts: isChosen ? { ...others, [id]: own ?? { options: {} } } : others };
    });

  const chosen = accounts.filter(({ id }) => draft.accounts[id]);
  const chosenRules = rules.filter(({ platform }) =>
    chosen.some((account) => account.platform === platform),
  );
  const isDraft = draft.when.kind === 'draft';
  const isBegun = chosen.length > 0 && (draft.caption !== '' || uploads.media.length > 0);
  const input = toInput({ draft, media: uploads.media, accounts, rules });
  const before = useMemo(
    () => toInput({ draft: initial.draft, media: initial.media, accounts, rules }),
    // What is stored does not change while the form is open.
    [],
  );
  // If the answer is lost, the same post is not created twice. A changed one is another post.
  const content = JSON.stringify(input);
  const idempotencyKey = useMemo(randomId, [content]);
  const checked = useValidation(isBegun ? input : undefined);
  const { errors = [], warnings = [] } = checked.validation ?? {};
  const isSending = uploads.media.some(({ upload }) => upload?.state === 'sending');
  const hasTargets = isDraft || chosen.length > 0 || areTargetsFixed;
  const isReady = hasTargets && !isSending && errors.length === 0;

  async function create(): Promise<void> {
    const created = (await run(CreatePost, { input: { ...input, idempotencyKey } }))?.createPost;
    if (created) navigate(`/posts/${created.id}`);
  }
  async function update({ id }: EditedPostData): Promise<void> {
    if (!(await run(UpdatePost, { id, input: changesOf(before, input) }))) return;
    if (draft.when.kind === 'now' && !(await run(PublishPost, { id }))) return;
    navigate(`/posts/${id}`);
  }

  return (
    <div className="compose">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void (post ? update(post) : create());
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
          {post && (
            <Link to={`/posts/${post.id}`} className="button">
              Close
            </Link>
          )}
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
