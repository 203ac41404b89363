// Writes the generated files: `schema/openapi.json`, `schema/schema.graphql`, the types of the dashboard, and the
// generated tables of the documentation.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { routes } from '../api/resources/routes.ts';
import { createSchema } from '../api/resources/schema.ts';
import { writeIntrospection, writeOptionSelection } from './dashboard-schema.ts';
import { fillInTables, listPages } from './doc-tables.ts';
import { writeOpenApi } from './openapi.ts';
import { findRestChanges, type RestDocument } from './rest-changes.ts';
import { findChanges } from './schema-changes.ts';

/** Part of the GraphQL specification, but older client generators need the declaration. */
const oneOf = 'directive @oneOf on INPUT_OBJECT';

/** The texts by the paths of their files. */
export function generated(): Record<string, string> {
  const schema = lexicographicSortSchema(createSchema());
  return {
    'schema/openapi.json': `${JSON.stringify(writeOpenApi(routes), null, 2)}\n`,
    'schema/schema.graphql': `${oneOf}\n\n${printSchema(schema)}\n`,
    'api/dashboard/app/api/introspection.d.ts': writeIntrospection(schema),
    'api/dashboard/app/api/option-selection.ts': writeOptionSelection(schema),
  };
}

interface GenerateOptions {
  /** Directory of the project. */
  directory?: string;
  /** Writes the files even if the changes break clients. */
  isBreaking?: boolean;
  print?: (text: string) => void;
}

/** Returns whether it wrote the files. */
export async function generate({
  directory = '.',
  isBreaking = false,
  print = console.error,
}: GenerateOptions): Promise<boolean> {
  const texts = generated();
  const { breaking, dangerous, deprecated } = findChanges(
    await readLastVersion(directory, 'schema/schema.graphql'),
    createSchema(),
  );
  const restBreaking = findRestChanges(
    JSON.parse(await readLastVersion(directory, 'schema/openapi.json')) as RestDocument,
    JSON.parse(texts['schema/openapi.json']!) as RestDocument,
  );
  const printList = (title: string, changes: string[]) => {
    if (changes.length > 0) print([title, ...changes].join('\n  '));
  };
  printList('Some GraphQL clients may fail:', dangerous);
  printList('Newly deprecated in GraphQL:', deprecated);
  printList('GraphQL clients break:', breaking);
  printList('REST clients break:', restBreaking);
  if (breaking.length + restBreaking.length > 0 && !isBreaking) {
    print(
      'No file was written. Deprecate these members first, or pass --breaking if no client uses them.',
    );
    return false;
  }
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(directory, name), text);
  }
  for (const name of await listPages(directory)) {
    const page = join(directory, name);
    await writeFile(page, fillInTables(await readFile(page, 'utf8')));
  }
  return true;
}

/** The file of the last version in the changelog. Before the first version, the file in the working tree. */
async function readLastVersion(directory: string, file: string): Promise<string> {
  const changelog = await readFile(join(directory, 'CHANGELOG.md'), 'utf8');
  const version = /^## \[(\d+\.\d+\.\d+)\]/m.exec(changelog)?.[1];
  if (version === undefined) return readFile(join(directory, file), 'utf8');
  const { stdout } = await promisify(execFile)('git', ['show', `v${version}:${file}`], {
    cwd: directory,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { breaking: { type: 'boolean', default: false } } });
  if (!(await generate({ isBreaking: values.breaking }))) process.exitCode = 1;
}
