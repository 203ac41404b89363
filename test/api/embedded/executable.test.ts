// The search for the Temporal executable, and its installation.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { searchExecutable } from '../../../api/embedded/install-executable.ts';
import { installExecutable } from '../../../api/embedded/install-executable.ts';
import { findTemporalExecutable } from '../../../api/embedded/temporal-executable.ts';
import { findTemporal } from '../../support/servers/servers.ts';

let directory: string;
let lines: string[];
const progress = (line: string) => void lines.push(line);
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'fanfare-bin-'));
  lines = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

const missing = (place: string, reason: string) => ({
  place,
  find: () => Promise.reject(new Error(reason)),
});

describe('searchExecutable', () => {
  test('takes the first program that works, and prints a line for each step', async () => {
    const steps = [
      missing('here', 'not found'),
      { place: 'there', find: () => Promise.resolve('/there/it') },
      missing('not tried', 'no'),
    ];
    expect(await searchExecutable('It', steps, progress)).toBe('/there/it');
    expect(lines).toEqual([
      'It is not available from here (not found). Trying there.',
      'It: /there/it (there)',
    ]);
  });

  test('lists every step if none works', async () => {
    const steps = [missing('here', 'not found'), missing('far away', 'no answer')];
    await expect(
      searchExecutable('It', steps, progress, { advice: 'Install it.' }),
    ).rejects.toThrow(
      'It was not found. Tried:\n- here: not found\n- far away: no answer\nInstall it.',
    );
    expect(lines).toEqual([
      'It is not available from here (not found). Trying far away.',
      'It is not available from far away (no answer).',
    ]);
  });
});

async function fetch(folder: string): Promise<string> {
  const program = path.join(folder, 'program');
  writeFileSync(program, 'it');
  return program;
}

describe('installExecutable', () => {
  test('installs the program and leaves no other file', async () => {
    const target = path.join(directory, 'program');
    await installExecutable({ target, check: () => Promise.resolve() }, fetch);
    expect(statSync(target).mode & 0o777).toBe(0o755);
    expect(readdirSync(directory)).toEqual(['program']);
  });

  test('leaves no file if the check fails', async () => {
    const target = path.join(directory, 'program');
    const installation = { target, check: () => Promise.reject(new Error('another')) };
    await expect(installExecutable(installation, fetch)).rejects.toThrow('another');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('makes no folder if the program is not available', async () => {
    const target = path.join(directory, 'data', 'bin', 'program');
    const installation = { target, check: () => Promise.resolve() };
    const fail = () => Promise.reject(new Error('no internet'));
    await expect(installExecutable(installation, fail)).rejects.toThrow('no internet');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('findTemporalExecutable', () => {
  test("uses the operator's executable, and tries nothing else if it fails", async () => {
    const temporalCli = path.join(directory, 'none');
    const failure = await findTemporalExecutable({
      temporalCli,
      cacheDirectory: directory,
      progress,
    }).catch((error: Error) => error);
    expect(failure).toMatchObject({
      message: `TEMPORAL_CLI (${temporalCli}) does not work: ${temporalCli} was not found`,
    });
    // The program would print its stack.
    expect(failure).not.toHaveProperty('cause');
    const found = await findTemporal();
    const options = { temporalCli: found, cacheDirectory: directory, progress };
    expect(await findTemporalExecutable(options)).toBe(found);
  });

  test('finds an executable that runs', async () => {
    const found = await findTemporal();
    expect(execFileSync(found, ['--version'], { encoding: 'utf8' })).toMatch(/temporal version/);
  });
});
