// How much of a network's limit the text takes. The API says whether it is too long.
import type { Issue, NetworkRules } from './compose-documents.ts';
import { countText } from './text-count.ts';

interface TextCountProps {
  text: string;
  rules: NetworkRules['text'];
  hasMedia: boolean;
  /** What the API says about the text so far. */
  issues: readonly Issue[];
}

export function TextCount({ text, rules, hasMedia, issues }: TextCountProps) {
  const max = (hasMedia ? rules.maxWithMedia : null) ?? rules.max;
  const tooLong = issues.find(({ code }) => code === 'caption_too_long');
  // A few networks count links in their own way.
  const count = typeof tooLong?.actual === 'number' ? tooLong.actual : countText(text, rules.unit);
  return (
    <span className={tooLong ? 'push problem-text' : 'push quiet'}>
      {count.toLocaleString('en')} of {max.toLocaleString('en')}
      {tooLong && ' – too long'}
    </span>
  );
}
