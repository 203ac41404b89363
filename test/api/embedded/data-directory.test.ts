// The lock of the data directory.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isHeld, claimDataDirectory } from '../../../api/embedded/data-directory.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'fanfare-lock-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** Leaves the lock file of a killed process, as `kill -9` does. */
function leaveStaleLock(directory: string): void {
  const script = `const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(process.argv[1]).exec('begin exclusive');
    process.kill(process.pid, 'SIGKILL')`;
  const lock = path.join(directory, 'lock.sqlite');
  expect(spawnSync(process.execPath, ['-e', script, lock]).signal).toBe('SIGKILL');
  expect(existsSync(lock)).toBe(true);
}

describe('claimDataDirectory', () => {
  test('creates a folder that other users cannot read', () => {
    const directory = path.join(parent, 'a', 'data');
    const held = claimDataDirectory(directory);
    expect(statSync(directory).mode & 0o066).toBe(0);
    expect(statSync(path.join(directory, 'lock.sqlite')).mode & 0o777).toBe(0o600);
    held.release();
    expect(readdirSync(directory).toSorted()).toEqual(['lock.pid', 'lock.sqlite']);
  });

  test('refuses a locked folder and names the process', () => {
    const held = claimDataDirectory(parent);
    expect(() => claimDataDirectory(parent)).toThrow(
      `${held.path} is in use by process ${process.pid}. Stop it first, or choose another folder with FANFARE_DATA_DIR.`,
    );
    held.release();
    claimDataDirectory(parent).release();
  });

  test('takes over the lock of a process that was killed', () => {
    leaveStaleLock(parent);
    const held = claimDataDirectory(parent);
    expect(isHeld(parent)).toBe(true);
    held.release();
  });

  test('refuses a path that cannot be a folder', () => {
    const file = path.join(parent, 'file');
    writeFileSync(file, '');
    for (const place of [file, path.join(file, 'data'), '/proc/x', '/proc/x/y']) {
      expect(() => claimDataDirectory(place)).toThrow(
        new RegExp(`^${place} cannot be the data directory: .*FANFARE_DATA_DIR\\.$`),
      );
    }
  });
});

describe('isHeld', () => {
  test('is false if no program runs', () => {
    expect(isHeld(parent)).toBe(false);
    leaveStaleLock(parent);
    expect(isHeld(parent)).toBe(false);
  });
});
