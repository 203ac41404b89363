// The generated documents are current: what is committed is what the code writes.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generated } from '../../api/generated.ts';
import { createSchema } from '../../api/graphql.ts';
import { findChanges } from '../../api/schema-changes.ts';

const committed = (name: string) =>
  readFile(new URL(`../../schema/${name}`, import.meta.url), 'utf8');

describe('npm run generate', () => {
  test.each(Object.entries(generated()))(
    'would change nothing in schema/%s',
    async (name, text) => {
      expect(await committed(name)).toBe(text);
    },
  );

  test('writes the same each time', () => {
    expect(generated()).toEqual(generated());
  });

  test('would break no client of the GraphQL schema', async () => {
    expect(findChanges(await committed('schema.graphql'), createSchema()).breaking).toEqual([]);
  });
});

describe('node api/generate.ts', () => {
  const program = fileURLToPath(new URL('../../api/generate.ts', import.meta.url));
  let directory: string;
  let sdl: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fanfare-generate-'));
    sdl = join(directory, 'schema', 'schema.graphql');
    await mkdir(join(directory, 'schema'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const generate = (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, ...args], { cwd: directory });
  const query = (members: string) => `type Query { ${members} }`;

  test('refuses to take away what was there, names it, and writes nothing', async () => {
    await writeFile(sdl, query('forecast: String'));
    const refused = await generate().catch((error: { code: number; stderr: string }) => error);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('Field Query.forecast was removed.');
    expect(await readFile(sdl, 'utf8')).toContain('forecast');
  });

  test('tells what a client may stumble over, and does it', async () => {
    const now = generated()['schema.graphql']!;
    await writeFile(
      sdl,
      now
        .replace(/enum ReplayStatus \{/, 'enum ReplayStatus { GONE')
        .replace(/enum Platform \{[^}]*SANDBOX/, 'enum Platform { SANDBOX'),
    );
    const { stderr } = await generate('--breaking');
    expect(stderr).toContain(
      'Clients of GraphQL break:\n  Enum value ReplayStatus.GONE was removed.',
    );
    expect(stderr).toContain('may stumble over:\n  Enum value Platform.BLUESKY was added.');
  });

  test('does it with --breaking, or where it was deprecated', async () => {
    await writeFile(sdl, query('forecast: String'));
    await generate('--breaking');
    expect(await readFile(sdl, 'utf8')).toBe(generated()['schema.graphql']);
    await writeFile(sdl, query('forecast: String @deprecated'));
    await generate();
    expect(await readFile(sdl, 'utf8')).toBe(generated()['schema.graphql']);
  });
});
