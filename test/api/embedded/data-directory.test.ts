// The lock of the data directory.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findHolder, takeDataDirectory } from '../../../api/embedded/data-directory.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'fanfare-lock-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** Leaves the socket file of a killed process, as `kill -9` does. */
function leaveStaleSocket(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script, path.join(directory, 'lock.sock')]);
  expect(existsSync(path.join(directory, 'lock.sock'))).toBe(true);
}

describe('takeDataDirectory', () => {
  test('creates a folder that other users cannot read', async () => {
    const directory = path.join(parent, 'a', 'data');
    const held = await takeDataDirectory(directory);
    expect(statSync(directory).mode & 0o066).toBe(0);
    expect(statSync(path.join(directory, 'lock.sock')).mode & 0o777).toBe(0o600);
    await held.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('refuses a locked folder and names the process', async () => {
    const held = await takeDataDirectory(parent);
    await expect(takeDataDirectory(parent)).rejects.toThrow(
      `${held.path} is in use by process ${process.pid}. Stop it first, or choose another folder with FANFARE_DATA_DIR.`,
    );
    await held.release();
    await (await takeDataDirectory(parent)).release();
  });

  test('replaces the socket of a process that was killed', async () => {
    leaveStaleSocket(parent);
    const held = await takeDataDirectory(parent);
    expect(await findHolder(parent)).toEqual({ pid: process.pid });
    await held.release();
  });

  test('succeeds for one of many parallel calls', async () => {
    leaveStaleSocket(parent);
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, () => takeDataDirectory(parent)),
    );
    const winners = all.filter((one) => one.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    await winners[0]!.value.release();
  });

  test('refuses a path that cannot be a folder', async () => {
    const file = path.join(parent, 'file');
    writeFileSync(file, '');
    for (const place of [file, path.join(file, 'data'), '/proc/x', '/proc/x/y']) {
      await expect(takeDataDirectory(place)).rejects.toThrow(
        new RegExp(`^${place} cannot be the data directory: .*FANFARE_DATA_DIR\\.$`),
      );
    }
  });

  test('refuses a path that is too long for a socket', async () => {
    const directory = path.join(parent, 'x'.repeat(120));
    await expect(takeDataDirectory(directory)).rejects.toThrow(/too long for a socket/);
  });
});

describe('findHolder', () => {
  test('returns undefined if no program runs', async () => {
    expect(await findHolder(parent)).toBeUndefined();
    leaveStaleSocket(parent);
    expect(await findHolder(parent)).toBeUndefined();
  });
});
