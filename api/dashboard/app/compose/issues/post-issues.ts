// What is wrong with the post of the form: what the API says, and what only the form knows.
import type { Problem, ProblemIssue } from '../../api/problem.ts';
import { accountTitle } from '../../components/account-title.ts';
import type { FormIssue } from '../../components/issue-text.ts';
import type { Medium } from '../../media/medium.ts';
import type { AccountChoice, Issue, PostInput, Validation } from '../compose-documents.ts';
import type { Draft } from '../draft.ts';
import { placeOf } from './issue-places.ts';

export type PlacedIssue = Issue & { at: string };

interface Sources {
  input: PostInput;
  draft: Draft;
  /** Those that the post goes to. */
  chosen: readonly AccountChoice[];
  validation: Validation | undefined;
  problems: readonly (Problem | undefined)[];
}

interface PostIssues {
  issues: FormIssue[];
  /** Of the texts. */
  errors: PlacedIssue[];
}

/** Where the API has another word than the form. */
const words: Partial<Record<string, string>> = { caption_required: 'Write a text.' };

export function postIssues({ input, draft, chosen, validation, problems }: Sources): PostIssues {
  const keys = draft.parts.map(({ key }) => key);
  const place = <Given extends ProblemIssue>(issue: Given) => {
    const message = words[issue.code] ?? issue.message;
    return { ...issue, message, at: placeOf(input, issue.path, keys) };
  };
  const errors = (validation?.errors ?? []).map(place);
  const warnings = (validation?.warnings ?? []).map(place);
  const refused = problems.flatMap((problem) => problem?.issues ?? []).map(place);
  const titles = new Map(chosen.map((account) => [account.id, accountTitle(account)]));
  const toFormIssue = (issue: PlacedIssue, isWarning: boolean): FormIssue => {
    const { at, message, accountId } = issue;
    const title = accountId === null ? undefined : titles.get(accountId);
    const isClear = at.startsWith('accounts.') || titles.size < 2 || title === undefined;
    return { at, message, isWarning, ...(isClear ? {} : { account: title }) };
  };
  const found = errors.map((issue) => toFormIssue(issue, false));
  const isKnown = ({ at, message }: FormIssue) =>
    found.some((one) => one.at === at && one.message === message);
  return {
    errors,
    issues: [
      ...found,
      ...refused.filter((issue) => !isKnown(issue)).map(({ at, message }) => ({ at, message })),
      ...warnings.map((issue) => toFormIssue(issue, true)),
    ],
  };
}

/** What the form doesn't send to the API. */
export function missingInForm(media: readonly Medium[], hasTargets: boolean): FormIssue[] {
  const targets = hasTargets ? [] : [{ at: 'accounts', message: 'Choose an account.' }];
  const uploads = media.flatMap(({ part, upload }) => {
    if (upload?.state !== 'failed') return [];
    const message = 'An upload failed. Try it again, or remove the file.';
    return [{ at: part === undefined ? 'media' : `parts.${part}.media`, message }];
  });
  return [...targets, ...uploads];
}
