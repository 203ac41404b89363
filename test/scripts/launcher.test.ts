// The command of the package chooses the Node that it runs on.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const launcher = readFileSync(
  join(import.meta.dirname, '../../scripts/package/fanfare.sh'),
  'utf8',
).replaceAll('NODE_MAJOR', '24');
const system = process.arch === 'arm64' ? 'arm64' : 'x64';

let folder: string;
const inPackage = (path: string) => join(folder, 'node_modules/@scope/fanfare', path);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fanfare-launcher-'));
  for (const path of ['bin', 'program']) mkdirSync(inPackage(path), { recursive: true });
  mkdirSync(join(folder, 'node_modules/.bin'));
  mkdirSync(join(folder, 'path'));
  write(inPackage('bin/fanfare'), launcher);
  symlinkSync('../@scope/fanfare/bin/fanfare', join(folder, 'node_modules/.bin/fanfare'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** A stand-in for Node that prints its name and its arguments. */
function addNode(path: string, version: string): void {
  write(
    path,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "${version}:" "$@"; fi\n`,
  );
}

function addOwnNode(parent: string): void {
  const bin = join(parent, `node-linux-${system}`, 'bin');
  mkdirSync(bin, { recursive: true });
  addNode(join(bin, 'node'), 'own');
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin/fanfare'), args, {
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'path')}:/usr/bin:/bin` },
  });
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}

const flags = '--max-semi-space-size=8';

test.runIf(process.platform === 'linux').each([
  { place: 'beside the package', parent: () => join(folder, 'node_modules') },
  { place: 'in the package', parent: () => inPackage('node_modules') },
])('prefers the Node that npm installed $place', ({ parent }) => {
  addOwnNode(parent());
  addNode(join(folder, 'path/node'), 'v26.0.0');
  const cli = inPackage('program/cli.js');
  expect(run('keys', 'create', '--name', 'two words')).toEqual({
    status: 0,
    stdout: `own: ${flags} ${cli} keys create --name two words`,
    stderr: '',
  });
});

test('takes the Node in PATH if it is new enough', () => {
  addNode(join(folder, 'path/node'), 'v24.1.0');
  expect(run('start').stdout).toBe(`v24.1.0: ${flags} ${inPackage('program/cli.js')} start`);
});

test('says which Node is missing if the one in PATH is too old', () => {
  addNode(join(folder, 'path/node'), 'v22.20.0');
  const { status, stdout, stderr } = run('start');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(
    'Fanfare needs Node 24 or later, and PATH has v22.20.0. Install it, or install Fanfare with its optional packages.',
  );
});
