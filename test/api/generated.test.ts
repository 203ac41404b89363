// The generated documents are current: what is committed is what the code writes.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { generated } from '../../api/generated.ts';

describe('npm run generate', () => {
  test.each(Object.entries(generated()))(
    'would change nothing in schema/%s',
    async (name, text) => {
      const committed = await readFile(new URL(`../../schema/${name}`, import.meta.url), 'utf8');
      expect(committed).toBe(text);
    },
  );

  test('writes the same each time', () => {
    expect(generated()).toEqual(generated());
  });
});
