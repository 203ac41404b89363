// Writes what is generated from the code: `schema/openapi.json`, `schema/schema.graphql`, and the
// tables of networks in the README and in `docs/networks.md`.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { generated } from './generated.ts';
import { createSchema } from '../graphql/schema.ts';
import { fillInTables } from './network-tables.ts';
import { findChanges } from './schema-changes.ts';

const { values } = parseArgs({ options: { breaking: { type: 'boolean', default: false } } });
/** Of the directory in which npm runs us. */
const at = (name: string) => `schema/${name}`;

const { breaking, dangerous, deprecated } = findChanges(
  await readFile(at('schema.graphql'), 'utf8'),
  createSchema(),
);
const print = (title: string, changes: string[]) => {
  if (changes.length > 0) console.error([title, ...changes].join('\n  '));
};
print('Clients of GraphQL may stumble over:', dangerous);
print('Clients of GraphQL have to leave:', deprecated);
print('Clients of GraphQL break:', breaking);
if (breaking.length > 0 && !values.breaking) {
  console.error(
    'Nothing is written. Deprecate first what is to go, or give --breaking where no client can have it.',
  );
  process.exit(1);
}
for (const [name, text] of Object.entries(generated())) await writeFile(at(name), text);
for (const page of ['README.md', 'docs/networks.md']) {
  await writeFile(page, fillInTables(await readFile(page, 'utf8')));
}
