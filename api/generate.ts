// Writes what is generated from the code: `schema/openapi.json` and `schema/schema.graphql`.
import { writeFile } from 'node:fs/promises';
import { generated } from './generated.ts';

for (const [name, text] of Object.entries(generated())) {
  await writeFile(new URL(`../schema/${name}`, import.meta.url), text);
}
