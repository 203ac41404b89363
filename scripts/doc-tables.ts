// The generated tables of the documentation: those of networks, scopes and tools, and of what is deprecated.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tools } from '../api/mcp/tools.ts';
import { routes } from '../api/resources/routes.ts';
import { createSchema } from '../api/resources/schema.ts';
import { platformDefinitions } from '../schema/platforms/index.ts';
import { Scope } from '../schema/scopes.ts';
import { meaningsOf } from '../schema/wire/described-enum.ts';
import { graphqlDeprecationTable, restDeprecationTable } from './deprecation-tables.ts';
import { afterPublishingTable, networkTable, optionTable } from './network-tables.ts';
import { writeTable } from './write-table.ts';

/** The pages with such tables, in the project at `directory`. */
export async function listPages(directory = '.'): Promise<string[]> {
  const names = await readdir(join(directory, 'docs', 'networks'));
  const networks = names.map((name) => `docs/networks/${name}`);
  return [
    'README.md',
    'docs/networks.md',
    'docs/quickstart.md',
    'docs/mcp.md',
    'docs/operating.md',
    ...networks,
  ];
}

/** Replaces each table between `<!-- its name -->` and `<!-- end -->`. */
export function fillInTables(page: string): string {
  const tables: Record<string, () => string> = {
    networks: networkTable,
    'after publishing': afterPublishingTable,
    scopes: scopeTable,
    tools: toolTable,
    'deprecated in REST': () => restDeprecationTable(routes),
    'deprecated in GraphQL': () => graphqlDeprecationTable(createSchema()),
  };
  for (const definition of platformDefinitions) {
    tables[`options of ${definition.name}`] = () => optionTable(definition);
  }
  return page.replace(/(<!-- ([\w ]+) -->\n)[\s\S]*?(<!-- end -->)/g, (whole, begin, name, end) => {
    const table = tables[name];
    return table ? `${begin}\n${table()}\n\n${end}` : whole;
  });
}

function scopeTable(): string {
  const rows = Object.entries(meaningsOf(Scope));
  return writeTable(
    ['Scope', 'Allows to'],
    rows.map(([scope, meaning]) => [`\`${scope}\``, meaning]),
  );
}

function toolTable(): string {
  return writeTable(
    ['Tool', 'Does', 'Scopes', 'Route'],
    [...tools.values()].map(({ name, title, scopes, route }) => [
      `\`${name}\``,
      title,
      scopes.map((scope) => `\`${scope}\``).join(', '),
      `\`${route.method.toUpperCase()} ${route.path}\``,
    ]),
  );
}
