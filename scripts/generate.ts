// Writes the generated files: `schema/openapi.json`, `schema/schema.graphql`, and the tables of
// networks in the README and under `docs/networks`.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { routes } from '../api/resources/routes.ts';
import { createSchema } from '../api/resources/schema.ts';
import { fillInTables, listPages } from './network-tables.ts';
import { writeOpenApi } from './openapi.ts';
import { findRestChanges, type RestDocument } from './rest-changes.ts';
import { findChanges } from './schema-changes.ts';

/** Part of the GraphQL specification, but older client generators need the declaration. */
const oneOf = 'directive @oneOf on INPUT_OBJECT';

/** The texts by their file name under `schema/`. */
export function generated(): Record<string, string> {
  return {
    'openapi.json': `${JSON.stringify(writeOpenApi(routes), null, 2)}\n`,
    'schema.graphql': `${oneOf}\n\n${printSchema(lexicographicSortSchema(createSchema()))}\n`,
  };
}

/** The file as the last version in the changelog has it. Before the first version, the file in the working tree. */
async function readLastVersion(file: string): Promise<string> {
  const version = /^## \[(\d+\.\d+\.\d+)\]/m.exec(await readFile('CHANGELOG.md', 'utf8'))?.[1];
  if (version === undefined) return readFile(file, 'utf8');
  const { stdout } = await promisify(execFile)('git', ['show', `v${version}:${file}`], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

async function generate(): Promise<void> {
  const { values } = parseArgs({ options: { breaking: { type: 'boolean', default: false } } });
  const texts = generated();
  const { breaking, dangerous, deprecated } = findChanges(
    await readLastVersion('schema/schema.graphql'),
    createSchema(),
  );
  const restBreaking = findRestChanges(
    JSON.parse(await readLastVersion('schema/openapi.json')) as RestDocument,
    JSON.parse(texts['openapi.json']!) as RestDocument,
  );
  const print = (title: string, changes: string[]) => {
    if (changes.length > 0) console.error([title, ...changes].join('\n  '));
  };
  print('Some GraphQL clients may fail:', dangerous);
  print('Newly deprecated in GraphQL:', deprecated);
  print('GraphQL clients break:', breaking);
  print('REST clients break:', restBreaking);
  if (breaking.length + restBreaking.length > 0 && !values.breaking) {
    console.error(
      'No file was written. Deprecate these members first, or pass --breaking if no client uses them.',
    );
    process.exit(1);
  }
  for (const [name, text] of Object.entries(texts)) await writeFile(`schema/${name}`, text);
  for (const page of await listPages()) {
    await writeFile(page, fillInTables(await readFile(page, 'utf8')));
  }
}

if (import.meta.main) await generate();
