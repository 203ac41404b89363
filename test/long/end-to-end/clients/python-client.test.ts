// The Python client: its own tests run against a whole Fanfare, with the built package. Its types and its style are checked.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { useApp } from '../../../support/app/app.ts';
import { preparePython } from '../../../support/clients/packages.ts';

const app = useApp();

let folder: string;
let prepared: Awaited<ReturnType<typeof preparePython>> | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfare-python-'));
  // Without a registry, the tests are skipped.
  prepared = await preparePython().catch((error: Error) => {
    console.error(`The packages of the Python client can't be installed: ${error.message}`);
    return undefined;
  });
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(
  { skip }: TestContext,
  parameters: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  if (prepared === undefined) return skip();
  return prepared.run(['-m', ...parameters], { home: folder, env });
}

test.concurrent('its tests pass with the built package', { timeout: 300_000 }, async (context) => {
  if (prepared === undefined) return context.skip();
  const installed = await prepared.installClient(folder);
  const stdout = await run(context, ['pytest', '-q', '-p', 'no:cacheprovider', '--durations=5'], {
    PYTHONPATH: installed,
    FANFARE_URL: app.url,
    FANFARE_API_KEY: app.tenant.key,
  });
  console.log(stdout);
  expect(stdout).toMatch(/\d+ passed/);
  expect(stdout).not.toMatch(/skipped|failed/);
});

test.concurrent('its types are strict', { timeout: 300_000 }, async (context) => {
  const stdout = await run(context, ['mypy', '--cache-dir', join(folder, 'mypy')]);
  expect(stdout).toMatch(/no issues found/);
});

test.concurrent('its style is that of ruff', async (context) => {
  await run(context, ['ruff', 'check', '--no-cache']);
  await run(context, ['ruff', 'format', '--no-cache', '--check']);
});
