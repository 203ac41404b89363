// Changes a draft or a scheduled post. Targets keep their own texts and options.
import { useState } from 'react';
import { useAction } from '../api/use-data.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { platformName } from '../parts/platform-name.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { navigate } from '../parts/router.ts';
import { PublishPost, UpdatePost } from '../posts/post-actions.ts';
import { AccountField } from './account-field.tsx';
import type { AccountChoice, EditedPostData, Issue, NetworkRules } from './compose-documents.ts';
import { commonInput, draftOf, mediaOf, timeInput, type Draft } from './draft.ts';
import { IssueList } from './issue-list.tsx';
import { MediaField } from './media-field.tsx';
import { submitTexts } from './new-post-form.tsx';
import { TextCount } from './text-count-note.tsx';
import { useUploads } from './use-uploads.ts';
import { useValidation } from './use-validation.ts';
import { WhenField } from './when-field.tsx';

interface EditFormProps {
  post: EditedPostData;
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
}

export function EditForm({ post, accounts, rules }: EditFormProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(post));
  const [added, setAdded] = useState<readonly string[]>([]);
  const uploads = useUploads(mediaOf(post));
  const { run, problem, isRunning } = useAction();
  const change = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }));

  const hasTargets = post.results.length > 0;
  const accountIds = hasTargets
    ? [...new Set(post.results.map(({ socialAccountId }) => socialAccountId))]
    : [...added];
  const { caption, when } = draft;
  const common = { caption, ...commonInput(draft, uploads.media) };
  const checked = useValidation(
    accountIds.length > 0 ? { ...common, ...timeInput(when), accountIds } : undefined,
  );
  const { errors = [], warnings = [] } = checked.validation ?? {};
  const isSending = uploads.media.some(({ state }) => state === 'sending');
  const isEditable = post.status === 'DRAFT' || post.status === 'SCHEDULED';

  async function save(): Promise<void> {
    const { id } = post;
    const isDraftAlready = when.kind === 'draft' && post.status === 'DRAFT';
    const input = {
      ...common,
      ...(isDraftAlready ? {} : timeInput(when)),
      ...(hasTargets || added.length === 0 ? {} : { accountIds: [...added] }),
    };
    if (!(await run(UpdatePost, { id, input }))) return;
    if (when.kind === 'now' && !(await run(PublishPost, { id }))) return;
    navigate(`/posts/${id}`);
  }

  if (!isEditable) {
    return (
      <p>
        Only drafts and scheduled posts can be changed here.{' '}
        <Link to={`/posts/${post.id}`}>Go to the post</Link>
      </p>
    );
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {hasTargets ? (
        <ul className="row plain" aria-label="Targets">
          {post.results.map(({ id, platform, accountName }) => (
            <li key={id} className="badge">
              {platformName(platform)} {accountName}
            </li>
          ))}
        </ul>
      ) : (
        <AccountField
          accounts={accounts}
          chosen={new Set(added)}
          onChange={(id, isChosen) =>
            setAdded((old) => (isChosen ? [...old, id] : old.filter((one) => one !== id)))
          }
        />
      )}
      <label className="field">
        Text
        <textarea
          rows={7}
          value={caption}
          onChange={({ target }) => change({ caption: target.value })}
        />
      </label>
      <Counts {...{ post, rules, caption }} hasMedia={uploads.media.length > 0} issues={errors} />
      <MediaField uploads={uploads} />
      <TextField
        label="Labels, separated by commas"
        value={draft.labels}
        onChange={({ target }) => change({ labels: target.value })}
      />
      <WhenField when={when} onChange={(next) => change({ when: next })} />
      <div role="status">
        {/* Options of the targets are not part of this check, and saving checks everything. */}
        <IssueList
          issues={errors.filter(({ path }) => !path.includes('platformOptions'))}
          warnings={warnings}
        />
      </div>
      <ProblemNote problem={problem} />
      <div className="actions">
        <Button type="submit" look="main" isDisabled={isSending} isRunning={isRunning}>
          {submitTexts[when.kind]}
        </Button>
        <Link to={`/posts/${post.id}`} className="button">
          Close
        </Link>
      </div>
    </form>
  );
}

interface CountsProps {
  post: EditedPostData;
  rules: readonly NetworkRules[];
  caption: string;
  hasMedia: boolean;
  issues: readonly Issue[];
}

function Counts({ post, rules, caption, hasMedia, issues }: CountsProps) {
  const platforms = new Set(post.results.map(({ platform }) => platform));
  return rules
    .filter(({ platform }) => platforms.has(platform))
    .map(({ platform, text }) => (
      <div key={platform} className="row small">
        {platformName(platform)}{' '}
        <TextCount
          text={caption}
          rules={text}
          hasMedia={hasMedia}
          issues={issues.filter((issue) => issue.platform === platform)}
        />
      </div>
    ));
}
