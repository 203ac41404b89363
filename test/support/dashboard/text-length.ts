// The length of a text as the API finds it: one more than the greatest limit that refuses the text.
import { checkText } from '../../../activities/platforms/text-rules.ts';
import type { PlatformDefinition } from '../../../schema/platforms/definition.ts';

type Definition = Pick<PlatformDefinition, 'title' | 'rules'>;

export function countAs({ title, rules }: Definition, text: string): number {
  const { maxBytes: _, ...limits } = rules.text;
  const strict = {
    title,
    rules: { ...rules, isTextRequired: false, text: { ...limits, max: 0, maxWithMedia: 0 } },
  };
  const [issue] = checkText(strict, text, { path: ['caption'] });
  return typeof issue?.actual === 'number' ? issue.actual : 0;
}
