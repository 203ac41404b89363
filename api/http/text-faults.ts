// Finds what JSON allows and Postgres can't hold: NUL characters, half surrogate pairs, bottomless nesting.

export interface TextFault {
  path: PropertyKey[];
  code: 'invalid_text' | 'too_deep' | 'unknown_field';
  message: string;
}

const maxDepth = 32;
const maxFaults = 20;

/** Walks without recursion: the nesting is the client's choice. */
export function findTextFaults(value: unknown): TextFault[] {
  const faults: TextFault[] = [];
  const waiting: { value: unknown; path: PropertyKey[] }[] = [{ value, path: [] }];
  for (let next = waiting.pop(); next && faults.length < maxFaults; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') {
      const message = textFault(value);
      if (message) faults.push({ path, code: 'invalid_text', message });
    } else if (typeof value === 'object' && value !== null) {
      if (path.length >= maxDepth) {
        faults.push({ path, code: 'too_deep', message: `is nested more than ${maxDepth} deep` });
      } else if (Array.isArray(value)) {
        for (let i = value.length - 1; i >= 0; i--) {
          waiting.push({ value: value[i], path: [...path, i] });
        }
      } else {
        for (const key of Object.keys(value).toReversed()) {
          const at = [...path, key];
          const message = textFault(key);
          if (message)
            faults.push({ path: at, code: 'invalid_text', message: `its name ${message}` });
          else if (key === '__proto__') {
            faults.push({ path: at, code: 'unknown_field', message: 'is not a known field' });
          } else waiting.push({ value: (value as Record<string, unknown>)[key], path: at });
        }
      }
    }
  }
  return faults;
}

function textFault(text: string): string | null {
  if (text.includes('\0')) return 'has a NUL character';
  if (!text.isWellFormed()) return 'has half a surrogate pair, which is no character';
  return null;
}
