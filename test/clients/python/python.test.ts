// The Python client: its own tests run against a whole Fanfare, with the built package. Its types and its style are checked.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { installPythonPackages, python } from '../../support/servers/python-packages.ts';

const client = fileURLToPath(new URL('../../../clients/python', import.meta.url));
const app = useApp();

let folder: string;
let packages: string | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfare-python-'));
  // Without a registry, the tests are skipped.
  packages = await installPythonPackages(
    'python-client',
    join(client, 'requirements-dev.txt'),
  ).catch((error: Error) => {
    console.error(`The packages of the Python client can't be installed: ${error.message}`);
    return undefined;
  });
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Rejects with the output if it fails. */
async function run(
  { skip }: TestContext,
  parameters: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  if (packages === undefined) return skip();
  const path = [env['PYTHONPATH'], packages].filter(Boolean).join(delimiter);
  const ran = await promisify(execFile)(python, ['-B', '-m', ...parameters], {
    cwd: client,
    env: { PATH: process.env['PATH'], HOME: folder, ...env, PYTHONPATH: path },
    timeout: 300_000,
  }).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
  });
  return ran.stdout;
}

test.concurrent('its tests pass with the built package', { timeout: 300_000 }, async (context) => {
  await run(context, ['hatchling', 'build', '-t', 'wheel', '-d', folder]);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'))!;
  const installed = join(folder, 'installed');
  const install = ['pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', installed];
  await run(context, [...install, join(folder, wheel)]);
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
