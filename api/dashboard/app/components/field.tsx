// Labeled fields of forms and filters.
import { useEffect, useId, useState, type ComponentProps, type ReactNode } from 'react';
import { CodeText } from './code-text.tsx';
import { useFieldIssues } from './form-issues.tsx';

interface TextFieldProps extends ComponentProps<'input'> {
  label: string;
  help?: ReactNode;
  /** The place in the form, at which its issues are. Undefined: the name. */
  at?: string | undefined;
}

export function TextField({ label, help, at, ...input }: TextFieldProps) {
  const id = useId();
  const issues = useFieldIssues(at ?? input.name, () => label, id);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-describedby={describedBy(help ? `${id}-help` : undefined, issues.describedBy)}
        aria-invalid={issues.isInvalid}
        {...input}
      />
      {issues.note}
      {help && (
        <span id={`${id}-help`} className="quiet small">
          {typeof help === 'string' ? <CodeText text={help} /> : help}
        </span>
      )}
    </div>
  );
}

const describedBy = (...ids: (string | undefined)[]): string | undefined =>
  ids.filter((id) => id !== undefined).join(' ') || undefined;

interface AreaFieldProps extends ComponentProps<'textarea'> {
  label: string;
  at?: string | undefined;
}

export function AreaField({ label, at, ...area }: AreaFieldProps) {
  const id = useId();
  const issues = useFieldIssues(at ?? area.name, () => label, id);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        aria-describedby={issues.describedBy}
        aria-invalid={issues.isInvalid}
        {...area}
      />
      {issues.note}
    </div>
  );
}

interface SelectFieldProps extends ComponentProps<'select'> {
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  at?: string | undefined;
}

export function SelectField({ label, options, at, ...select }: SelectFieldProps) {
  const id = useId();
  const issues = useFieldIssues(at ?? select.name, () => label, id);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        aria-describedby={issues.describedBy}
        aria-invalid={issues.isInvalid}
        {...select}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {issues.note}
    </div>
  );
}

interface CheckFieldProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode;
}

export function CheckField({ label, ...input }: CheckFieldProps) {
  return (
    <label className="check">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  );
}

const typingMs = 300;

interface TypedFilterProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** Asks only after a pause in typing. */
export function TypedFilter({ label, value, onChange }: TypedFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      label={label}
      type="search"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
