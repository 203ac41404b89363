// Labeled fields of forms and filters.
import { useEffect, useId, useState, type ComponentProps, type ReactNode } from 'react';
import { CodeText } from './code-text.tsx';

interface TextFieldProps extends ComponentProps<'input'> {
  label: string;
  help?: ReactNode;
}

export function TextField({ label, help, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-describedby={help ? `${id}-help` : undefined} {...input} />
      {help && (
        <span id={`${id}-help`} className="quiet small">
          {typeof help === 'string' ? <CodeText text={help} /> : help}
        </span>
      )}
    </div>
  );
}

interface SelectFieldProps extends ComponentProps<'select'> {
  label: string;
  options: readonly (readonly [value: string, label: string])[];
}

export function SelectField({ label, options, ...select }: SelectFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} {...select}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
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
