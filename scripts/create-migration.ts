// Creates a migration (`npm run migrate:create -- NAME`): its file, and its line in the list.
import { readFile, writeFile } from 'node:fs/promises';
import { version } from '../schema/version.ts';
import { migrations } from '../schema/database/migrations/index.ts';

const [name] = process.argv.slice(2);
if (!name || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
  console.error('Usage: npm run migrate:create -- NAME   (lower case, words joined by hyphens)');
  process.exit(2);
}

const number = String(Object.keys(migrations).length + 1).padStart(4, '0');
const identifier = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const file = new URL(`../schema/database/migrations/${number}-${name}.ts`, import.meta.url);
const list = new URL('../schema/database/migrations/index.ts', import.meta.url);

await writeFile(
  file,
  `// Says in one sentence what changes, and why.
import { sql, type Kysely } from 'kysely';

export const oldestVersion = '${version.split('.').slice(0, 2).join('.')}';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`select 1\`.execute(db);
}
`,
  { flag: 'wx' },
);
const text = await readFile(list, 'utf8');
await writeFile(
  list,
  text
    .replace(
      '\n/** The minor',
      `import * as ${identifier} from './${number}-${name}.ts';\n\n/** The minor`,
    )
    .replace(
      /(const later[^=]*= \{)\s*([^}]*)\};/,
      (_, head: string, entries: string) =>
        `${head}\n  ${entries.trimEnd()}${entries ? '\n  ' : ''}'${number}-${name}': ${identifier},\n};`,
    ),
);
console.log(`Created ${file.pathname}.`);
