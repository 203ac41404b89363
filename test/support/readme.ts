// The README as its readers take it: its fenced blocks and the rows of its tables.
import { readFileSync } from 'node:fs';

export const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

export const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language, text]) => ({ language: language!, text: text! }),
);

/** The cells of each row below the table's head, by the first words of that. */
export function readTable(head: string): string[][] {
  const lines = readme.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head}`));
  if (start < 0) throw new Error(`The README has no table that begins with ${head}.`);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
