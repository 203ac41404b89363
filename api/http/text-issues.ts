// Finds what JSON allows but Fanfare doesn't take: NUL characters and unpaired surrogates, which Postgres can't
// store, endless nesting, and stacks of accents.
import type { Issue } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';

const maxDepth = 32;
const maxIssues = 20;

/** A loop instead of recursion, because the client chooses the nesting. */
export function findTextIssues(value: unknown): Issue[] {
  const issues: Issue[] = [];
  const waiting: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let next = waiting.pop(); next && issues.length < maxIssues; next = waiting.pop()) {
    const { value, path } = next;
    const add = (code: string, message: string, at: Path = path) =>
      issues.push({ path: at, code, message });
    if (typeof value === 'string') {
      const part = findRefused(value);
      if (part) add('invalid_text', `must not contain ${part}`);
    } else if (typeof value === 'object' && value !== null) {
      if (path.length >= maxDepth) {
        add('too_deep', `must not be nested deeper than ${maxDepth} levels`);
      } else if (Array.isArray(value)) {
        for (let i = value.length - 1; i >= 0; i--) {
          waiting.push({ value: value[i], path: [...path, i] });
        }
      } else {
        for (const key of Object.keys(value).toReversed()) {
          const at = [...path, key];
          const part = findRefused(key);
          if (part) add('invalid_text', `must not have ${part} in its name`, at);
          else if (key === '__proto__') add('unknown_field', 'is not a known field', at);
          else waiting.push({ value: (value as Record<string, unknown>)[key], path: at });
        }
      }
    }
  }
  return issues;
}

/**
 * Unicode's normalization takes quadratic time for each stack.
 * @see https://unicode.org/reports/tr15/#Stream_Safe_Text_Format, which allows 30 in a row
 */
const stack = /(?<!\p{M})\p{M}{101}/u;

function findRefused(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  if (!text.isWellFormed()) return 'an unpaired surrogate';
  return stack.test(text) ? 'more than 100 combining characters in a row' : null;
}
