// The links between the libraries of embedded Postgres.
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { completeLinks, findPostgresBinaries } from '../../../api/embedded/postgres-programs.ts';

let root: string;
const lib = () => path.join(root, 'native/lib');

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'fanfare-links-'));
  mkdirSync(lib(), { recursive: true });
  writeFileSync(path.join(lib(), 'libone.so.1.2'), 'one');
  const links = ['libone.so', 'libone.so.1'].map((name) => ({
    source: 'native/lib/libone.so.1.2',
    target: `native/lib/${name}`,
  }));
  writeFileSync(path.join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('completeLinks', () => {
  test('makes the links that an install script would have made, and may run again', () => {
    completeLinks(root);
    completeLinks(root);
    expect(readlinkSync(path.join(lib(), 'libone.so'))).toBe('libone.so.1.2');
    expect(readFileSync(path.join(lib(), 'libone.so.1'), 'utf8')).toBe('one');
  });

  test('names a link that it could not make', () => {
    const links = [{ source: 'native/lib/libone.so.1.2', target: 'native/gone/libone.so' }];
    writeFileSync(path.join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
    expect(() => completeLinks(root)).toThrow(
      /native\/gone\/libone\.so is missing, and Fanfare can't make it: .*ENOENT.*install scripts/,
    );
  });
});

describe('findPostgresBinaries', () => {
  test('finds the programs of the installed package', () => {
    const { label, postgres } = findPostgresBinaries();
    expect(label).toContain(`${process.platform}-${process.arch}`);
    accessSync(postgres, constants.X_OK);
  });
});
