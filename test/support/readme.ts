// The README and the pages of docs/ as their readers take them: programs, documents, rows of tables.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function readPage(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** The fenced blocks of a page. */
export function readBlocks(page: string) {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

export const readme = readPage('README.md');
export const readmeBlocks = readBlocks(readme);

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

export interface ReadmeDirectory {
  /** Writes the fenced block whose first line begins with the file's name in a comment. */
  extract(file: string): string;
  remove(): void;
}

/** With the packages of this checkout, as if they had been installed there. */
export function createReadmeDirectory(): ReadmeDirectory {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-readme-'));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(directory, 'node_modules'));
  return {
    extract(file) {
      const name = new RegExp(`^(//|#) ${file.replace('.', '[.]')}\\b`);
      const block = readmeBlocks.find(({ text }) => name.test(text))?.text;
      if (block === undefined) throw new Error(`The README has no ${file}.`);
      const path = join(directory, file);
      writeFileSync(path, block);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
