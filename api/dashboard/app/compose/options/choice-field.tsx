// A choice among what an account offers at its network, such as its boards.
import { useId, useState } from 'react';
import { useData } from '../../api/use-data.ts';
import { CodeText } from '../../components/code-text.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { GroupIssues } from '../../components/form-issues.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Choices } from '../compose-documents.ts';
import type { OptionFieldProps } from './option-schema.ts';

interface ChoiceFieldProps extends OptionFieldProps {
  label: string;
  kind: string;
}

export function ChoiceField(props: ChoiceFieldProps) {
  const { label, kind, at, schema, value, accountId, onChange } = props;
  const id = useId();
  const [q, setQ] = useState('');
  const { data, problem } = useData(Choices, { accountId, kind, q: q === '' ? null : q });
  const choices = data?.accountChoices?.nodes ?? [];
  const isList = schema.type === 'array';
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="option-group" aria-describedby={`${id}-help`}>
      <legend>{label}</legend>
      <GroupIssues at={at} label={label} />
      <p id={`${id}-help`} className="quiet small">
        <CodeText text={schema.description ?? ''} />
      </p>
      <ProblemNote problem={problem} />
      {(q !== '' || choices.length >= 20) && (
        <TextField
          label="Search"
          type="search"
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
      )}
      {isList ? (
        choices.map(({ choiceId, name }) => (
          <CheckField
            key={choiceId}
            label={name}
            checked={chosen.includes(choiceId)}
            onChange={({ target }) => {
              const others = chosen.filter((one) => one !== choiceId);
              const next = target.checked ? [...others, choiceId] : others;
              onChange(next.length === 0 ? undefined : next);
            }}
          />
        ))
      ) : (
        <SelectField
          label="Choice"
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
          options={[
            ['', 'None'],
            ...choices
              .filter(({ disabledReason }) => disabledReason === null)
              .map(({ choiceId, name }) => [choiceId, name] as const),
          ]}
        />
      )}
    </fieldset>
  );
}
