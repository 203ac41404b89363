// How much of a network's limit the text takes.
import type { NetworkRules } from './compose-documents.ts';
import { countText } from './text-count.ts';

interface TextCountProps {
  text: string;
  rules: NetworkRules['text'];
  hasMedia: boolean;
}

export function TextCount({ text, rules, hasMedia }: TextCountProps) {
  const max = (hasMedia ? rules.maxWithMedia : null) ?? rules.max;
  const count = countText(text, rules.unit);
  return (
    <span className={count > max ? 'push problem-text' : 'push quiet'}>
      {count.toLocaleString('en')} of {max.toLocaleString('en')}
      {count > max && ' – too long'}
    </span>
  );
}
