// docker-compose.yml is complete, and agrees with the program. No container engine is needed.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { Environment } from '../schema/config/environment.ts';

interface Service {
  environment?: Record<string, string | number>;
  secrets?: string[];
  depends_on?: Record<string, unknown>;
  entrypoint?: unknown[];
  healthcheck?: { test: unknown[] };
}

interface ComposeFile {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
}

const text = readFileSync(new URL('../docker-compose.yml', import.meta.url), 'utf8');
const { services, secrets } = parse(text, { merge: true }) as ComposeFile;

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
