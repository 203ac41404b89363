// Every relative link of the Markdown pages leads to a file and a heading that exist.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readPage } from '../support/checks/readme.ts';

const root = join(import.meta.dirname, '../..');
const listPages = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const docs = listPages('docs');
const networks = listPages('docs/networks');
const decisions = listPages('docs/decisions');
const pages = [...listPages(''), ...docs, ...networks, ...decisions];

const withoutCode = (page: string) => page.replace(/^```[\s\S]*?^```$/gm, '');

/** The anchors that GitHub gives the headings of a page. */
function listAnchors(page: string): string[] {
  return [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isResolved(from: string, link: string): boolean {
  const [file, anchor] = link.split('#') as [string, string?];
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || listAnchors(readPage(path)).includes(anchor);
}

test.each(pages)('the links of %s resolve', (page) => {
  const links = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link));
  expect(
    links.filter((link) => !isResolved(page, link)),
    `Edit ${page}.`,
  ).toEqual([]);
});

test('the README links to every page of docs/', () => {
  const readme = readPage('README.md');
  const missing = docs.filter((page) => !readme.includes(`(${page})`));
  expect(missing, 'Link to these in README.md.').toEqual([]);
});

test('the index of the decisions links to each decision', () => {
  const index = readPage('docs/decisions/README.md');
  const names = decisions.map((page) => basename(page)).filter((name) => name !== 'README.md');
  expect(names).not.toEqual([]);
  const missing = names.filter((name) => !index.includes(`(${name})`));
  expect(missing, 'Link to these in docs/decisions/README.md.').toEqual([]);
});

test('the README has at most 8 kB', () => {
  expect(Buffer.byteLength(readPage('README.md'))).toBeLessThanOrEqual(8_000);
});
