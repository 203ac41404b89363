// The rooms, the arrows between them, and the habits of every file.
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSourceFiles, type Import, type SourceFile } from './support/checks/source-files.ts';

const files = readSourceFiles();
const byPath = new Map(files.map((file) => [file.path, file]));
const inRoom = (room: string) => files.filter((file) => file.room === room);
const roomOf = (path: string) => path.split('/')[0]!;

/** `from → to` for each import of our own files that breaks the rule. */
function breaches(from: SourceFile[], isAllowed: (item: Import) => boolean): string[] {
  return from.flatMap((file) =>
    file.imports
      // The version is read from package.json, which is in no room.
      .filter((item) => item.isOurs && item.target !== 'package.json' && !isAllowed(item))
      .map((item) => `${file.path} → ${item.target}`),
  );
}

/** The files that run with these, types left out. */
function runsWith(start: SourceFile[]): SourceFile[] {
  const seen = new Set(start);
  for (const file of seen) {
    for (const item of file.imports) {
      const next = item.isTypeOnly ? undefined : byPath.get(item.target);
      if (next) seen.add(next);
    }
  }
  return [...seen];
}

describe('rooms', () => {
  test('every room has files', () => {
    for (const room of ['api', 'activities', 'workflows', 'schema', 'test']) {
      expect(inRoom(room).length, room).toBeGreaterThan(0);
    }
  });

  test('schema imports only schema', () => {
    expect(breaches(inRoom('schema'), ({ target }) => roomOf(target) === 'schema')).toEqual([]);
  });

  test('activities import only activities and schema', () => {
    const allowed = ['activities', 'schema'];
    expect(
      breaches(inRoom('activities'), ({ target }) => allowed.includes(roomOf(target))),
    ).toEqual([]);
  });

  test('api imports only api, activities and schema', () => {
    const allowed = ['api', 'activities', 'schema'];
    expect(breaches(inRoom('api'), ({ target }) => allowed.includes(roomOf(target)))).toEqual([]);
  });

  test('workflows import themselves, schema, and of activities only the types of their index', () => {
    expect(
      breaches(
        inRoom('workflows'),
        ({ target, isTypeOnly }) =>
          ['workflows', 'schema'].includes(roomOf(target)) ||
          (isTypeOnly && target === 'activities/index.ts'),
      ),
    ).toEqual([]);
  });

  test('what runs in the workflow sandbox needs no package but the workflow SDK', () => {
    const allowed = ['@temporalio/workflow', '@temporalio/common'];
    const foreign = runsWith(inRoom('workflows')).flatMap((file) =>
      file.imports
        .filter((item) => !item.isOurs && !item.isTypeOnly && !allowed.includes(item.target))
        .map((item) => `${file.path} → ${item.target}`),
    );
    expect(foreign).toEqual([]);
  });

  test('imports lead to files that are there, by their full names', () => {
    const missing = breaches(
      files,
      ({ target }) => byPath.has(target) || !/\.tsx?$|^[^.]*$/.test(basename(target)),
    );
    expect(missing).toEqual([]);
  });

  test('nothing that runs imports itself in a circle', () => {
    expect(circles(files)).toEqual([]);
  });
});

describe('files', () => {
  test('begin with a comment that says what lives there', () => {
    const bare = files.filter((file) => !/^\/\/ \S.{10,}/.test(file.text));
    expect(bare.map((file) => file.path)).toEqual([]);
  });

  test('are named after what they hold', () => {
    const vague = /(^|\/)(utils?|helpers?|common|managers?|types?|services?)(\/|\.|$)/;
    const shape = /^[a-z0-9.-]+\.ts$/;
    const misnamed = files.filter(({ path }) => vague.test(path) || !shape.test(basename(path)));
    expect(misnamed.map((file) => file.path)).toEqual([]);
  });

  test('stand with at most 19 others in a folder', () => {
    const counts = new Map<string, number>();
    for (const { path } of files) {
      const folder = dirname(path);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
  });

  test('leave the environment to api/cli.ts', () => {
    const readers = files.filter(
      (file) =>
        file.room !== 'test' && file.path !== 'api/cli.ts' && file.text.includes('process.env'),
    );
    expect(readers.map((file) => file.path)).toEqual([]);
  });

  test('export by name', () => {
    const configured = new Set(['test/support/global-setup.ts']);
    const defaults = files.filter(
      (file) => !configured.has(file.path) && /^export default\b/m.test(file.text),
    );
    expect(defaults.map((file) => file.path)).toEqual([]);
  });
});

/** Each circle once, as `a → b → a`. */
function circles(all: readonly SourceFile[]): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  function visit(path: string, trail: string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const item of byPath.get(path)?.imports ?? []) {
      if (item.isOurs && !item.isTypeOnly) visit(item.target, [...trail, path]);
    }
    done.add(path);
  }
  for (const file of all) visit(file.path, []);
  return found;
}
