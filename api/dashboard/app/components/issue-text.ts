// Issues of the API in the words of a form: their paths are those of its fields.
import type { ProblemIssue } from '../api/problem.ts';

export interface FormIssue {
  /** The field's place in the form, with dots: `schedule.local`. */
  at: string;
  message: string;
  isWarning?: boolean;
  /** The account that it is about, if that isn't clear from its place. */
  account?: string;
}

/** `input.platformPosts[1].caption` → `['platformPosts', '1', 'caption']` */
export function pathMembers(path: string): string[] {
  const members = path.split(/[.[\]]+/).filter(Boolean);
  return members[0] === 'input' ? members.slice(1) : members;
}

/** Of a form whose fields are named like the members of the input. */
export const toFormIssue = ({
  path,
  message,
}: Pick<ProblemIssue, 'path' | 'message'>): FormIssue => ({
  at: pathMembers(path).join('.'),
  message,
});

/** The field at which an issue is shown: the one that its place begins with, the most exact one. */
export function fieldOf(at: string, fields: Iterable<string>): string | undefined {
  let best: string | undefined;
  for (const field of fields) {
    const isWithin = at === field || at.startsWith(`${field}.`);
    if (isWithin && field.length > (best?.length ?? -1)) best = field;
  }
  return best;
}

/** Messages of networks are whole sentences. The others continue the name of a field. */
export function issueText(label: string, message: string): string {
  if (/^[A-Z]/.test(message)) return message;
  // A label may say more after its name, such as `Labels, separated by commas`.
  const name = label.replace(/[,(].*$/, '').trim();
  return `${name} ${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}

/** Each text once, with the accounts that it is about. */
export function issueTexts(
  issues: readonly FormIssue[],
  labelOf: (issue: FormIssue) => string,
): string[] {
  const byText = Map.groupBy(issues, (issue) => issueText(labelOf(issue), issue.message));
  return [...byText].map(([text, alike]) => {
    const accounts = [...new Set(alike.flatMap(({ account }) => account ?? []))];
    return accounts.length === 0 ? text : `${accounts.join(', ')}: ${text}`;
  });
}

/** The name of a place without a field: `connectAccount` → `Connect account`. */
export function placeNameOf({ at }: Pick<FormIssue, 'at'>): string {
  const last = at.split('.').findLast((member) => !/^\d+$/.test(member)) ?? '';
  const words = last.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
