// Variables that are read from files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '../../schema/config/config.ts';
import { readFileVariables } from '../../schema/config/file-variables.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fanfare-secrets-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function issuesOf(env: Record<string, string>): string[] {
  try {
    readFileVariables(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  return [];
}

test('a variable is read from its file, without the newline at the end', () => {
  const env = {
    DATABASE_URL_FILE: write('url', 'postgres://fanfare:secret@postgres/fanfare\n'),
    FANFARE_LINKEDIN_CLIENT_SECRET_FILE: write('secret', ' with spaces \r\n'),
    FANFARE_PORT: '4000',
  };
  expect(readFileVariables(env)).toEqual({
    DATABASE_URL: 'postgres://fanfare:secret@postgres/fanfare',
    FANFARE_LINKEDIN_CLIENT_SECRET: ' with spaces ',
    FANFARE_PORT: '4000',
  });
});

test('variables of other programs, empty ones and unknown ones stay as they are', () => {
  const env = { POSTGRES_PASSWORD_FILE: '/x', DATABASE_URL_FILE: '', FANFARE_UNKNOWN_FILE: '/x' };
  expect(readFileVariables(env)).toEqual(env);
});

test('every file that is absent, empty or in conflict is named, and no value is shown', () => {
  const issues = issuesOf({
    DATABASE_URL_FILE: join(folder, 'absent'),
    TEMPORAL_API_KEY_FILE: folder,
    FANFARE_API_KEY_FILE: write('empty', '\n'),
    FANFARE_VAULT_KEYS: 'k1:in-the-environment',
    FANFARE_VAULT_KEYS_FILE: write('keys', 'k1:in-the-file'),
  });
  expect(issues).toEqual([
    "DATABASE_URL_FILE: the file can't be read (ENOENT)",
    "TEMPORAL_API_KEY_FILE: the file can't be read (EISDIR)",
    'FANFARE_API_KEY_FILE: the file is empty',
    "FANFARE_VAULT_KEYS_FILE: can't be set together with FANFARE_VAULT_KEYS",
  ]);
});
