// Fields for the options of a network, made from their JSON Schema, so that a new network needs no line here.
import { useId, useState } from 'react';
import { CodeText } from '../../components/code-text.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { GroupIssues } from '../../components/form-issues.tsx';
import { ChoiceField } from './choice-field.tsx';
import {
  isPlainList,
  optionLabel,
  type OptionFieldProps,
  type OptionSchema,
  type OptionValue,
  type OptionValues,
  toCamelCase,
} from './option-schema.ts';

interface OptionFieldsProps {
  /** Their place in the form. */
  at: string;
  schema: OptionSchema;
  values: OptionValues;
  accountId: string;
  onChange(values: OptionValues): void;
}

export function OptionFields({ at, schema, values, accountId, onChange }: OptionFieldsProps) {
  return Object.entries(schema.properties ?? {}).map(([name, option]) => (
    <OptionField
      key={name}
      name={name}
      at={`${at}.${toCamelCase(name)}`}
      schema={option}
      isRequired={schema.required?.includes(name) ?? false}
      value={values[name]}
      accountId={accountId}
      onChange={(value) => {
        const { [name]: _, ...others } = values;
        onChange(value === undefined ? others : { ...others, [name]: value });
      }}
    />
  ));
}

function OptionField(props: OptionFieldProps) {
  const { name, at, schema, isRequired, value, accountId, onChange } = props;
  const label = isRequired ? `${optionLabel(name)} (required)` : optionLabel(name);
  const help = schema.description;
  const shown = { label, at, help, value, onChange };
  if (schema['x-choices'])
    return <ChoiceField {...props} label={label} kind={schema['x-choices']} />;
  if (schema.enum) return <EnumField {...props} label={label} />;
  if (schema.type === 'boolean') return <BooleanField {...props} label={label} />;
  if (schema.type === 'object' && schema.properties) {
    return (
      <fieldset className="option-group">
        <legend>{label}</legend>
        <GroupIssues at={at} label={label} />
        <Help text={help} />
        <OptionFields
          at={at}
          schema={schema}
          values={(value ?? {}) as OptionValues}
          accountId={accountId}
          onChange={(values) => onChange(Object.keys(values).length === 0 ? undefined : values)}
        />
      </fieldset>
    );
  }
  if (isPlainList(schema) && schema.items?.enum) {
    const words = schema.items.enum;
    return <WordsField {...shown} words={words} />;
  }
  if (isPlainList(schema)) {
    return <ListField {...shown} />;
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <TextField
        label={label}
        at={at}
        help={help}
        type="number"
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === 'number' ? 'any' : 1}
        value={typeof value === 'number' ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
      />
    );
  }
  if (schema.type === 'string') {
    return (
      <TextField
        label={label}
        at={at}
        help={help}
        type={schema.format === 'uri' ? 'url' : 'text'}
        maxLength={schema.maxLength}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
    );
  }
  return <JsonField {...shown} />;
}

function Help({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="quiet small">
      <CodeText text={text} />
    </p>
  );
}

type LabeledProps = OptionFieldProps & { label: string };

function EnumField({ label, at, schema, value, onChange }: LabeledProps) {
  const words = schema['x-enumDescriptions'] ?? {};
  return (
    <div className="field">
      <SelectField
        label={label}
        at={at}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        options={[
          ['', 'Default'],
          ...schema.enum!.map(
            (word) => [word, words[word] ? `${word}: ${words[word]}` : word] as const,
          ),
        ]}
      />
      <Help text={schema.description} />
    </div>
  );
}

/** Not set differs from false, since the default may be true. */
function BooleanField({ label, at, schema, value, onChange }: LabeledProps) {
  return (
    <div className="field">
      <SelectField
        label={label}
        at={at}
        value={typeof value === 'boolean' ? String(value) : ''}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : target.value === 'true')
        }
        options={[
          ['', 'Default'],
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
      <Help text={schema.description} />
    </div>
  );
}

interface TextBasedProps {
  label: string;
  at: string;
  help: string | undefined;
  value: OptionValue | undefined;
  onChange(value: OptionValue | undefined): void;
}

function ListField({ label, at, help, value, onChange }: TextBasedProps) {
  const [text, setText] = useState(
    Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(', ') : '',
  );
  return (
    <TextField
      label={`${label}, separated by commas`}
      at={at}
      help={help}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const items = target.value.split(',').map((item) => item.trim());
        const filled = items.filter((item) => item !== '');
        onChange(filled.length === 0 ? undefined : filled);
      }}
    />
  );
}

function JsonField({ label, at, help, value, onChange }: TextBasedProps) {
  const id = useId();
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const [isWrong, setIsWrong] = useState(false);
  return (
    <div className="field">
      <label htmlFor={id}>{label}, as JSON</label>
      <GroupIssues at={at} label={label} />
      <textarea
        id={id}
        rows={3}
        value={text}
        aria-invalid={isWrong}
        onChange={({ target }) => {
          setText(target.value);
          try {
            onChange(
              target.value.trim() === '' ? undefined : (JSON.parse(target.value) as OptionValue),
            );
            setIsWrong(false);
          } catch {
            setIsWrong(true);
          }
        }}
      />
      {isWrong && <span className="problem-text small">This isn't valid JSON.</span>}
      <Help text={help} />
    </div>
  );
}

/** Several of a few words. */
function WordsField(props: TextBasedProps & { words: string[] }) {
  const { label, at, help, words, value, onChange } = props;
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset>
      <legend>{label}</legend>
      <GroupIssues at={at} label={label} />
      <Help text={help} />
      {words.map((word) => (
        <CheckField
          key={word}
          label={word}
          checked={chosen.includes(word)}
          onChange={({ target }) => {
            const next = target.checked ? [...chosen, word] : chosen.filter((one) => one !== word);
            onChange(next.length === 0 ? undefined : next);
          }}
        />
      ))}
    </fieldset>
  );
}
