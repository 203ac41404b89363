// The README and the pages of docs/ as their readers use them: programs, requests, rows of tables.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function readPage(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** The fenced blocks of a page. */
export function readBlocks(page: string) {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

/** The cells of each row of a table: the first table on the page whose head begins with these words. */
export function readTable(page: string, head: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex(
    (line, i) => line.startsWith(`| ${head}`) && lines[i + 1]?.startsWith('| -'),
  );
  if (start < 0) throw new Error(`The page has no table that begins with ${head}.`);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

export interface ProgramDirectory {
  /** Writes the fenced block whose first line begins with the file's name in a comment. */
  extract(page: string, file: string): string;
  remove(): void;
}

/** A directory with the packages of this checkout, as if a reader had installed them there. */
export function createProgramDirectory(): ProgramDirectory {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-docs-'));
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(directory, 'node_modules'));
  return {
    extract(page, file) {
      const name = new RegExp(`^(//|#) ${file.replace('.', '[.]')}\\b`);
      const block = readBlocks(readPage(page)).find(({ text }) => name.test(text))?.text;
      if (block === undefined) throw new Error(`${page} has no program ${file}.`);
      const path = join(directory, file);
      // The file is written once, because a process that is starting may be reading it for another test.
      if (!existsSync(path)) writeFileSync(path, block);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
