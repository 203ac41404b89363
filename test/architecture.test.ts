// Which folder may import which, no import cycles, and the habits of every file.
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSourceFiles, type Import, type SourceFile } from './support/checks/source-files.ts';

const here = 'test/architecture.test.ts';
const files = readSourceFiles();
const byPath = new Map(files.map((file) => [file.path, file]));

const rowsOfSchema = ['schema', 'schema/platforms', 'schema/posts', 'schema/wire'];
const database = [...rowsOfSchema, 'schema/database'];
/** Below every resource of the API. */
const resource = [
  'schema/**',
  'activities/egress',
  'activities/platforms',
  'api/http',
  'api/graphql',
];

/**
 * Each row may import the rows that it lists, and lists only rows above it, so no cycle can arise. A
 * file belongs to the longest row that its path begins with. `schema/**` means `schema` and all below.
 */
const mayImport: Record<string, readonly string[]> = {
  'clients/typescript': [],
  'schema/wire': [],
  'schema/platforms': ['schema/wire'],
  'schema/posts': ['schema/platforms', 'schema/wire'],
  schema: ['schema/platforms', 'schema/posts', 'schema/wire'],
  'schema/config': rowsOfSchema,
  'schema/database/migrations': [],
  'schema/database': [...rowsOfSchema, 'schema/database/migrations'],
  'schema/database/accounts': database,
  'schema/database/live': database,
  'schema/database/events': [...database, 'schema/database/live'],
  'schema/database/media': [...database, 'schema/database/live'],
  'schema/database/queues': database,
  'schema/database/posts': [...database, 'schema/database/accounts', 'schema/database/live'],
  'schema/database/webhooks': [...database, 'schema/database/events', 'schema/database/live'],
  'schema/database/dispatch': [
    ...database,
    'schema/database/accounts',
    'schema/database/events',
    'schema/database/live',
    'schema/database/posts',
    'schema/database/webhooks',
  ],
  activities: ['schema/**'],
  'activities/egress': ['schema/**', 'activities'],
  'activities/platforms': ['schema/**', 'activities', 'activities/egress'],
  'activities/media': ['schema/**', 'activities', 'activities/egress', 'activities/platforms'],
  'activities/delivering': ['schema/**', 'activities', 'activities/egress'],
  'activities/logins': ['schema/**', 'activities', 'activities/egress', 'activities/platforms'],
  'activities/publishing': [
    'schema/**',
    'activities',
    'activities/egress',
    'activities/logins',
    'activities/media',
    'activities/platforms',
  ],
  'activities/checks': [
    'schema/**',
    'activities',
    'activities/egress',
    'activities/logins',
    'activities/media',
    'activities/platforms',
  ],
  'activities/changes': [
    'schema/**',
    'activities',
    'activities/logins',
    'activities/platforms',
    'activities/publishing',
  ],
  'activities/follow-ups': [
    'schema/**',
    'activities',
    'activities/changes',
    'activities/logins',
    'activities/platforms',
    'activities/publishing',
  ],
  'activities/retention': ['schema/**', 'activities', 'activities/media'],
  'activities/dispatch': ['schema/**', 'activities', 'activities/delivering'],
  'activities/index.ts': [
    'activities/changes',
    'activities/checks',
    'activities/delivering',
    'activities/follow-ups',
    'activities/logins',
    'activities/media',
    'activities/publishing',
    'activities/retention',
  ],
  'activities/worker.ts': ['schema/**', 'activities/**'],
  workflows: ['schema/**', 'activities/index.ts'],
  'api/live': ['schema/**', 'activities'],
  'api/http': [
    'schema/**',
    'activities',
    'activities/egress',
    'activities/logins',
    'activities/media',
    'activities/platforms',
    'api/live',
  ],
  'api/graphql': ['schema/**', 'api/http', 'api/live'],
  'api/platforms': resource,
  'api/labels': resource,
  'api/limits': resource,
  'api/api-keys': resource,
  'api/accounts': [...resource, 'activities', 'activities/logins', 'api/platforms'],
  'api/connect': [...resource, 'api/accounts', 'api/api-keys', 'api/platforms'],
  'api/users': [...resource, 'api/accounts', 'api/connect', 'api/platforms'],
  'api/inbound': [...resource, 'activities/logins', 'api/accounts', 'api/connect'],
  'api/platform-apps': [
    ...resource,
    'activities/logins',
    'api/accounts',
    'api/connect',
    'api/platforms',
  ],
  'api/media': [...resource, 'activities', 'activities/media'],
  'api/posts': [
    ...resource,
    'activities',
    'activities/changes',
    'activities/publishing',
    'api/accounts',
    'api/media',
    'api/platforms',
  ],
  'api/projects': [...resource, 'activities/media', 'api/media'],
  'api/queues': [...resource, 'api/accounts', 'api/api-keys', 'api/posts'],
  'api/dashboard/app': [],
  'api/dashboard': ['schema/**', 'api/http'],
  'api/dashboard/app/vite.config.ts': ['api/dashboard'],
  'api/share': [...resource, 'api/accounts', 'api/platforms', 'api/posts'],
  'api/account-checks': [
    ...resource,
    'activities/checks',
    'api/accounts',
    'api/platforms',
    'api/posts',
  ],
  'api/events': [...resource, 'api/accounts', 'api/posts'],
  'api/webhooks': [...resource, 'activities/delivering', 'api/api-keys', 'api/events'],
  'api/deliveries': [...resource, 'api/events', 'api/posts', 'api/webhooks'],
  'api/replays': [...resource, 'api/webhooks'],
  'api/resources': [
    ...resource,
    'api/account-checks',
    'api/accounts',
    'api/api-keys',
    'api/connect',
    'api/deliveries',
    'api/events',
    'api/labels',
    'api/limits',
    'api/media',
    'api/platform-apps',
    'api/platforms',
    'api/posts',
    'api/projects',
    'api/queues',
    'api/replays',
    'api/share',
    'api/users',
    'api/webhooks',
  ],
  'api/graphql/server': [
    'clients/typescript',
    'schema/**',
    'activities',
    'api/http',
    'api/live',
    'api/graphql',
    'api/resources',
  ],
  'api/websocket': [
    'schema/**',
    'activities',
    'api/http',
    'api/live',
    'api/graphql',
    'api/graphql/server',
  ],
  'api/reference': ['schema/**', 'api/http'],
  'api/sandbox': ['schema/**', 'activities/**', 'api/http'],
  'api/mcp': ['schema/**', 'activities', 'api/http', 'api/reference', 'api/resources'],
  'api/server': [
    'schema/**',
    'activities/**',
    'api/connect',
    'api/dashboard',
    'api/graphql/server',
    'api/http',
    'api/inbound',
    'api/live',
    'api/mcp',
    'api/media',
    'api/projects',
    'api/reference',
    'api/resources',
    'api/sandbox',
    'api/share',
    'api/websocket',
  ],
  'api/embedded': ['schema/**', 'activities/**', 'api/server'],
  'api/cli': [
    'clients/typescript',
    'schema/**',
    'activities/**',
    'api/accounts',
    'api/api-keys',
    'api/dashboard',
    'api/embedded',
    'api/graphql',
    'api/graphql/server',
    'api/http',
    'api/mcp',
    'api/platform-apps',
    'api/server',
  ],
  api: ['schema/**', 'api/cli', 'api/embedded', 'api/server'],
  scripts: ['schema/**', 'api/http', 'api/mcp', 'api/platforms', 'api/reference', 'api/resources'],
  'scripts/package': ['activities/dispatch', 'api/dashboard'],
  'scripts/release': ['scripts/package'],
};
const rows = Object.keys(mayImport);

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** The row of a product file. Tests have none, since they may import everything. */
function rowOf(path: string): string | undefined {
  return rows.filter((row) => isIn(path, row)).sort((a, b) => b.length - a.length)[0];
}

function isListed(row: string, entry: string): boolean {
  return entry.endsWith('/**') ? isIn(row, entry.slice(0, -3)) : row === entry;
}

function isAllowed(from: string, to: string | undefined): boolean {
  return from === to || (to !== undefined && mayImport[from]!.some((entry) => isListed(to, entry)));
}

/** Fails with one line for each problem, and with how to solve it. */
function expectNone(problems: string[], remedy: string): void {
  expect(problems, `${problems.join('\n')}\n\n${remedy}\n`).toEqual([]);
}

/** `from → to` for each import of our own files that breaks the rule. */
function breaches(from: SourceFile[], isRight: (item: Import) => boolean): string[] {
  return from.flatMap((file) =>
    file.imports
      // The version is read from package.json, which is in no folder.
      .filter((item) => item.isOurs && item.target !== 'package.json' && !isRight(item))
      .map((item) => `${file.path} → ${item.target}`),
  );
}

/** These files and all that they import at run time. */
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

describe('imports', () => {
  test('every folder has a row, and every row has files', () => {
    const depths: Record<string, number> = {
      api: 2,
      activities: 2,
      clients: 2,
      schema: 2,
      workflows: 1,
    };
    const folders = files.flatMap(({ path }) => {
      const parts = dirname(path).split('/');
      const depth = path.startsWith('schema/database/') ? 3 : depths[parts[0]!];
      return depth === undefined ? [] : [parts.slice(0, depth).join('/')];
    });
    const missing = [...new Set(folders)].filter((folder) => !rows.includes(folder));
    expectNone(missing, `Add a row for the folder to mayImport in ${here}.`);
    const empty = rows.filter((row) => !files.some(({ path }) => rowOf(path) === row));
    expectNone(empty, `Remove the row from mayImport in ${here}.`);
  });

  test('rows list only rows above them', () => {
    const wrong = rows.flatMap((row, at) =>
      mayImport[row]!.filter((entry) => {
        const listed = rows.filter((other) => other !== row && isListed(other, entry));
        return listed.length === 0 || listed.some((other) => rows.indexOf(other) > at);
      }).map((entry) => `${row} lists ${entry}`),
    );
    expectNone(wrong, `Folders must not import each other. Move one row of mayImport in ${here}.`);
  });

  test('go from a folder only to the folders that its row lists', () => {
    const wrong = files.flatMap((file) => {
      const from = rowOf(file.path);
      return from ? breaches([file], ({ target }) => isAllowed(from, rowOf(target))) : [];
    });
    expectNone(
      wrong,
      `Move the imported code into a lower folder, or list its folder in mayImport of ${here}.`,
    );
  });

  test('go from workflows to activities only as types', () => {
    const workflows = files.filter(({ path }) => isIn(path, 'workflows'));
    const wrong = breaches(
      workflows,
      ({ target, isTypeOnly }) => isTypeOnly || !isIn(target, 'activities'),
    );
    expectNone(wrong, 'Workflows call activities through proxyActivities: use `import type`.');
  });

  test('go from workflows to no package but the workflow SDK', () => {
    const allowed = ['@temporalio/workflow', '@temporalio/common'];
    const workflows = files.filter(({ path }) => isIn(path, 'workflows'));
    const foreign = runsWith(workflows).flatMap((file) =>
      file.imports
        .filter((item) => !item.isOurs && !item.isTypeOnly && !allowed.includes(item.target))
        .map((item) => `${file.path} → ${item.target}`),
    );
    expectNone(foreign, 'The sandbox of workflows has no other package. Move the code elsewhere.');
  });

  test('name existing files in full', () => {
    const missing = breaches(
      files,
      ({ target }) => byPath.has(target) || !/\.tsx?$|^[^.]*$/.test(basename(target)),
    );
    expectNone(missing, 'Correct the path of the import, and end it in `.ts`.');
  });

  test('form no cycle of files, types included', () => {
    expectNone(findCycles(), 'Move what both files need into the lower one, or into a third file.');
  });
});

describe('files', () => {
  test('begin with a comment that says what they hold', () => {
    const bare = files.filter((file) => !/^\/\/ \S.{10,}/.test(file.text));
    expectNone(
      bare.map((file) => file.path),
      'Begin the file with a comment that says what it holds.',
    );
  });

  test('have names that say what they hold', () => {
    const vague = /(^|\/)(utils?|helpers?|common|managers?|types?|services?)(\/|\.|$)/;
    const shape = /^[a-z0-9.-]+\.tsx?$/;
    const misnamed = files.filter(({ path }) => vague.test(path) || !shape.test(basename(path)));
    expectNone(
      misnamed.map((file) => file.path),
      'Name the file for what it holds, in kebab-case.',
    );
  });

  test('are at most 20 in a folder', () => {
    const counts = new Map<string, number>();
    for (const { path } of files) {
      const folder = dirname(path);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    const full = [...counts].filter(([, count]) => count > 20).map(([folder]) => folder);
    expectNone(full, 'Move files that belong together into a folder of their own.');
  });

  test('read the environment only in api/cli.ts', () => {
    const readers = files.filter(
      (file) =>
        !isIn(file.path, 'test') && file.path !== 'api/cli.ts' && file.text.includes('process.env'),
    );
    expectNone(
      readers.map((file) => file.path),
      'Read the variable in schema/config/environment.ts, and pass the setting on.',
    );
  });

  test('use no private parts of zod', () => {
    const users = files.filter((file) => /\._(zod|def|idmap)\b/.test(file.text));
    expectNone(
      users.map((file) => file.path),
      'Read the schema with `z.toJSONSchema`, `.shape` or `.meta()`.',
    );
  });

  test('wait for conditions, not for time, if they are tests', () => {
    // Only `setImmediate` is allowed from there: it waits for a turn of the event loop.
    const timers = /^import (?!\{ setImmediate )[^;]*'node:timers\/promises'/m;
    const sleep = /new Promise(?:<\w+>)?\(\((\w+)\) =>\s*(?:void )?setTimeout\(\1,/;
    const sleeping = files.filter(
      ({ path, text }) => path.endsWith('.test.ts') && (timers.test(text) || sleep.test(text)),
    );
    expectNone(
      sleeping.map((file) => file.path),
      'Wait for an event or with `expect.poll`. To show that nothing comes, wait for what comes later. ' +
        'Where time itself is the subject, call `elapse` of test/support/elapse.ts.',
    );
  });

  test('export by name', () => {
    const configured = new Set([
      'api/dashboard/app/vite.config.ts',
      'test/support/global-setup.ts',
    ]);
    const defaults = files.filter(
      (file) => !configured.has(file.path) && /^export default\b/m.test(file.text),
    );
    expectNone(
      defaults.map((file) => file.path),
      'Replace the default export by a named one.',
    );
  });
});

/** Each cycle once, as `a → b → a`. */
function findCycles(): string[] {
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
      if (item.isOurs) visit(item.target, [...trail, path]);
    }
    done.add(path);
  }
  for (const file of files) visit(file.path, []);
  return found;
}
