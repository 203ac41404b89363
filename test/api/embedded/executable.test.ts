// The search for a program that is not part of the checkout.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { searchExecutable } from '../../../api/embedded/executable-search.ts';
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
  test('takes the first that works, with a line for each step', async () => {
    const steps = [
      missing('here', 'not there yet'),
      { place: 'there', find: () => Promise.resolve('/there/it') },
      missing('never asked', 'no'),
    ];
    expect(await searchExecutable('It', steps, progress)).toBe('/there/it');
    expect(lines).toEqual(['It: here: not there yet', 'It: /there/it (there)']);
  });

  test('names all that was tried when nothing works', async () => {
    const steps = [missing('here', 'not there yet'), missing('far away', 'no answer')];
    await expect(searchExecutable('It', steps, progress)).rejects.toThrow(
      'It was not found. Tried:\n- here: not there yet\n- far away: no answer',
    );
  });
});

async function fetch(folder: string): Promise<string> {
  const program = path.join(folder, 'program');
  writeFileSync(program, 'it');
  return program;
}

describe('installExecutable', () => {
  test('puts a whole program in place and leaves nothing else', async () => {
    const target = path.join(directory, 'program');
    await installExecutable({ target, check: () => Promise.resolve() }, fetch);
    expect(statSync(target).mode & 0o777).toBe(0o755);
    expect(readdirSync(directory)).toEqual(['program']);
  });

  test('leaves nothing when the program is not the right one', async () => {
    const target = path.join(directory, 'program');
    const installation = { target, check: () => Promise.reject(new Error('another')) };
    await expect(installExecutable(installation, fetch)).rejects.toThrow('another');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('findTemporalExecutable', () => {
  test('takes what the operator names, and tries nothing else when that does not work', async () => {
    const temporalCli = path.join(directory, 'none');
    await expect(
      findTemporalExecutable({ temporalCli, cacheDirectory: directory, progress }),
    ).rejects.toThrow(`TEMPORAL_CLI (${temporalCli}) does not work: there is no ${temporalCli}`);
    const found = await findTemporal();
    const options = { temporalCli: found, cacheDirectory: directory, progress };
    expect(await findTemporalExecutable(options)).toBe(found);
  });

  test('finds one that runs', async () => {
    const found = await findTemporal();
    expect(execFileSync(found, ['--version'], { encoding: 'utf8' })).toMatch(/temporal version/);
  });
});
