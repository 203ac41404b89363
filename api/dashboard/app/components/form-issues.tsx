// What is wrong in a form: each issue stands at its field, the others at the form.
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import type { Problem } from '../api/problem.ts';
import { CodeText } from './code-text.tsx';
import { fieldOf, issueTexts, placeNameOf, toFormIssue, type FormIssue } from './issue-text.ts';

interface Issues {
  all: readonly FormIssue[];
  fields: readonly string[];
  /** Adds a field at which issues can be shown. */
  register(at: string): () => void;
}

const IssuesContext = createContext<Issues | undefined>(undefined);

interface FormIssuesProps {
  issues: readonly FormIssue[];
  /** A new value moves the focus to the first field with a problem. */
  refusal: unknown;
  className?: string;
  children: ReactNode;
}

const controls = 'input:not([type=hidden]), textarea, select, button';

export function FormIssues({ issues, refusal, className, children }: FormIssuesProps) {
  const [fields, setFields] = useState<readonly string[]>([]);
  const root = useRef<HTMLDivElement>(null);
  const register = useCallback((at: string) => {
    setFields((known) => [...known, at]);
    return () => setFields((known) => known.toSpliced(known.indexOf(at), 1));
  }, []);
  useEffect(() => {
    if (refusal === undefined) return;
    const group = root.current
      ?.querySelector('[data-problem]')
      ?.closest('.field, fieldset, section');
    group?.querySelector<HTMLElement>(controls)?.focus();
  }, [refusal]);
  const value = useMemo(() => ({ all: issues, fields, register }), [issues, fields, register]);
  return (
    <div className={className ?? 'contents'} ref={root}>
      <IssuesContext value={value}>{children}</IssuesContext>
    </div>
  );
}

/** Of a form whose fields are named like the members of the input. */
export function ProblemAtFields({
  problem,
  children,
}: {
  problem: Problem | undefined;
  children: ReactNode;
}) {
  const issues = useMemo(() => problem?.issues.map(toFormIssue) ?? [], [problem]);
  return (
    <FormIssues issues={issues} refusal={problem}>
      {children}
    </FormIssues>
  );
}

/** The issues to show at this place. Undefined: a field without a place. */
function useIssuesAt(at: string | undefined): readonly FormIssue[] {
  const issues = useContext(IssuesContext);
  const register = issues?.register;
  useLayoutEffect(() => (at === undefined ? undefined : register?.(at)), [register, at]);
  if (!issues || at === undefined) return [];
  return issues.all.filter((issue) => fieldOf(issue.at, issues.fields) === at);
}

/** Undefined: this is not in a form that shows its issues at fields. */
export function useOtherIssues(): readonly FormIssue[] | undefined {
  const issues = useContext(IssuesContext);
  return issues?.all.filter((issue) => fieldOf(issue.at, issues.fields) === undefined);
}

interface FieldIssuesProps {
  at: string;
  label: string;
}

/** For a group of fields: also what is wrong with those of its members that the form doesn't show. */
export function GroupIssues({ at, label }: FieldIssuesProps) {
  return useFieldIssues(at, (issue) => (issue.at === at ? label : placeNameOf(issue))).note;
}

interface FieldIssues {
  note: ReactNode;
  /** What the field says to assistive technology. */
  describedBy: string | undefined;
  isInvalid: boolean | undefined;
}

export function useFieldIssues(
  at: string | undefined,
  labelOf: (issue: FormIssue) => string,
  id?: string,
): FieldIssues {
  const issues = useIssuesAt(at);
  if (issues.length === 0) return { note: null, describedBy: undefined, isInvalid: undefined };
  const texts = (isWarning: boolean) =>
    issueTexts(
      issues.filter((issue) => (issue.isWarning ?? false) === isWarning),
      labelOf,
    );
  const problems = texts(false);
  const warnings = texts(true);
  const isInvalid = problems.length > 0 || undefined;
  const noteId = id === undefined ? undefined : `${id}-issues`;
  return {
    describedBy: noteId,
    isInvalid,
    note: (
      <div id={noteId} className="small" data-problem={isInvalid}>
        {problems.map((text) => (
          <p key={text} className="problem-text">
            <CodeText text={text} />
          </p>
        ))}
        {warnings.map((text) => (
          <p key={text} className="warning-text">
            <CodeText text={text} />
          </p>
        ))}
      </div>
    ),
  };
}
