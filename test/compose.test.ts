// docker-compose.yml is complete, and agrees with the program. No container engine is needed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { parse } from 'yaml';
import { expect, inject, test } from 'vitest';
import { Environment } from '../schema/config/environment.ts';
import { connectDatabase } from '../schema/database/connect.ts';
import { migrate } from '../schema/database/migrate.ts';
import { runAsAdmin, withDatabase } from './support/app/admin.ts';

interface Service {
  environment?: Record<string, string | number>;
  secrets?: string[];
  depends_on?: Record<string, unknown>;
  entrypoint?: unknown[];
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  mem_limit?: string;
  healthcheck?: { test: unknown[] };
}

interface ComposeFile {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  configs: Record<string, { content: string }>;
}

const text = readFileSync(new URL('../docker-compose.yml', import.meta.url), 'utf8');
const image = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const { services, secrets, configs } = parse(text, { merge: true }) as ComposeFile;

test('Fanfare gets only variables that it reads', () => {
  for (const name of ['api', 'worker', 'migrate']) {
    const variables = Object.keys(services[name]!.environment!).map((variable) =>
      variable.replace(/_FILE$/, ''),
    );
    expect(variables.filter((variable) => !(variable in Environment.shape))).toEqual([]);
  }
});

test.each(Object.entries(services))('%s names only what the file defines', (_, service) => {
  const named = service.secrets ?? [];
  expect(named.filter((secret) => !(secret in secrets))).toEqual([]);
  const before = Object.keys(service.depends_on ?? {});
  expect(before.filter((name) => !(name in services))).toEqual([]);
  const read = JSON.stringify(service).matchAll(/\/run\/secrets\/(\w+)/g);
  for (const [, secret] of read) expect(named).toContain(secret);
  // A colon in an unquoted command makes it a mapping.
  const words = [...(service.healthcheck?.test ?? []), ...(service.entrypoint ?? [])];
  expect(words.filter((word) => typeof word !== 'string')).toEqual([]);
});

test('the secrets are outside the repository and the image', () => {
  expect(Object.values(secrets).map(({ file }) => file)).toSatisfy((files: string[]) =>
    files.every((file) => file.startsWith('secrets/')),
  );
  for (const ignore of ['.gitignore', '.dockerignore']) {
    const ignored = readFileSync(new URL(`../${ignore}`, import.meta.url), 'utf8');
    expect(ignored).toMatch(/^\/?secrets\/?$/m);
    expect(ignored).toMatch(/^\/?fanfare\.env$/m);
  }
});

test('services answer only on this machine unless the operator names an address', () => {
  for (const [name, { ports = [] }] of Object.entries(services)) {
    for (const port of ports) expect(port, name).toMatch(/^(\$\{FANFARE_BIND:-)?127\.0\.0\.1/);
  }
});

test('media are in a volume that every container of Fanfare has, and nothing else is writable', () => {
  for (const name of ['api', 'worker', 'migrate']) {
    const { environment, volumes, read_only, cap_drop } = services[name]!;
    const [, folder] = /^fanfare:(\S+)$/.exec(volumes!.join(' '))!;
    expect(fileURLToPath(String(environment!['FANFARE_MEDIA_URL']))).toContain(`${folder}/`);
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    expect(image).toMatch(new RegExp(`^ENV .*FANFARE_DATA_DIR=${folder} TMPDIR=${folder}$`, 'm'));
    expect(image).toMatch(new RegExp(`^VOLUME ${folder}$`, 'm'));
  }
});

test('the image runs the package as a user who is not root', () => {
  const last = image.slice(image.lastIndexOf('\nFROM '));
  // A number, so that Kubernetes can tell that it isn't root.
  expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(last).toMatch(/^ENTRYPOINT \["\/opt\/fanfare\/node_modules\/\.bin\/fanfare"\]$/m);
  expect(last).not.toMatch(/^RUN npm/m);
});

test('the image is built from files that Docker gets', () => {
  const ignored = readFileSync(new URL('../.dockerignore', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  // What `npm run build` reads.
  for (const name of ['activities', 'api', 'docs', 'schema', 'scripts', 'workflows', '.nvmrc']) {
    expect(ignored).not.toContain(name);
  }
  for (const name of ['dist', 'node_modules', '.data']) expect(ignored).toContain(name);
});

test('containers and systemd have the same memory limit', () => {
  const page = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8');
  const [, limit] = /^MemoryMax=(\d+)M$/m.exec(page)!;
  for (const name of ['api', 'worker']) expect(services[name]!.mem_limit).toBe(`${limit}m`);
});

test('the script creates the database users, and Fanfare migrates as its own user', async () => {
  const adminUrl = inject('adminDatabaseUrl');
  const [, script] = /<<'SQL'\n([\s\S]*?)SQL\n/.exec(configs['database-users']!.content)!;
  // The tests share a server, so the names are others.
  const statements = script!
    .replaceAll(/:'(\w+)'/g, "'pass_$1'")
    .replaceAll(/\b(fanfare|temporal)\b/g, 'compose_$1')
    .split(';\n')
    .filter((statement) => statement.trim() !== '');
  try {
    for (const statement of statements) await runAsAdmin(adminUrl, statement);
    const url = new URL(withDatabase(adminUrl, 'compose_fanfare'));
    url.username = 'compose_fanfare';
    url.password = 'pass_fanfare_password';
    const database = connectDatabase({
      url: url.href,
      maxConnections: 1,
      applicationName: 'compose test',
    });
    try {
      await migrate(database.db);
    } finally {
      await database.close();
    }
    url.username = 'compose_temporal';
    url.password = 'pass_temporal_password';
    const other = connectDatabase({ url: url.href, maxConnections: 1, applicationName: 'other' });
    await expect(sql`select 1`.execute(other.db)).rejects.toThrow('permission denied');
    await other.close();
  } finally {
    await runAsAdmin(adminUrl, 'drop database if exists compose_fanfare');
    await runAsAdmin(adminUrl, 'drop role if exists compose_fanfare');
    await runAsAdmin(adminUrl, 'drop role if exists compose_temporal');
  }
});
