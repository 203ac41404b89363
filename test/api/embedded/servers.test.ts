// Embedded servers: restarts, orphans, and the place of Postgres for root.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepRunning } from '../../../api/embedded/keep-running.ts';
import { binariesIn } from '../../../api/embedded/postgres-place.ts';
import { choosePostgresPlace } from '../../../api/embedded/postgres-place.ts';
import { isAlive } from '../../../api/embedded/process-table.ts';
import {
  spawnServer,
  stopOrphan,
  type ServerProcess,
} from '../../../api/embedded/server-process.ts';

let directory: string;
let lines: string[];
const progress = (line: string) => void lines.push(line);
const stopPlan = [['SIGTERM', 5000]] as const;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'fanfare-keep-'));
  lines = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

function spawnScript(script: string, name = 'server'): ServerProcess {
  return spawnServer({
    name,
    dataDirectory: directory,
    executable: '/bin/sh',
    args: ['-c', script],
    workingDirectory: directory,
    ports: {},
    env: {},
    stopPlan,
  });
}

describe('keepRunning', () => {
  test('gives up after three restarts and reports the reason', async () => {
    let launches = 0;
    const launch = () => {
      launches += 1;
      return Promise.resolve(spawnScript('sleep 0.05; exit 3'));
    };
    const kept = await keepRunning({ name: 'It', launch, restart: true, progress });
    const detail = await new Promise<string>((resolve) => kept.onExit(resolve));
    expect(detail).toBe('ended with exit code 3');
    expect(launches).toBe(4);
    expect(lines).toEqual(Array(3).fill('It ended with exit code 3; restarting it.'));
    await kept.stop();
  });

  test('does not restart a stopped server', async () => {
    const server = spawnScript('exec sleep 60');
    const launch = () => Promise.resolve(server);
    const kept = await keepRunning({ name: 'It', launch, restart: true, progress });
    const { pid } = kept.process;
    await kept.stop();
    expect(isAlive(pid)).toBe(false);
    expect(lines).toEqual([]);
  });
});

describe('stopOrphan', () => {
  test('spares another process with the same pid', async () => {
    const server = spawnScript('exec sleep 60');
    const record = path.join(directory, 'server.json');
    const other = { pid: server.pid, startedAt: '1', workingDirectory: directory };
    writeFileSync(record, JSON.stringify(other));
    await stopOrphan(directory, 'server', stopPlan, progress);
    expect(isAlive(server.pid)).toBe(true);
    await server.stop();
  });

  test('stops our own process', async () => {
    const server = spawnScript('exec sleep 60');
    await stopOrphan(directory, 'server', stopPlan, progress);
    expect(isAlive(server.pid)).toBe(false);
    expect(lines).toEqual([
      `Stopping server (process ${server.pid}), left running by an earlier start.`,
    ]);
  });
});

describe('choosePostgresPlace', () => {
  test.skipIf(process.getuid?.() !== 0)(
    'copies programs that the user of Postgres cannot reach',
    () => {
      const source = path.join(directory, 'closed', 'native');
      mkdirSync(path.join(source, 'bin'), { recursive: true });
      writeFileSync(path.join(source, 'bin', 'postgres'), '#!/bin/sh\n', { mode: 0o700 });
      chmodSync(path.join(directory, 'closed'), 0o700);
      chmodSync(directory, 0o755);
      const label = `test-${process.pid}`;
      const place = choosePostgresPlace(directory, binariesIn(source, label), progress);
      try {
        expect(place.binaries.directory).toBe(`/var/lib/fanfare/postgres-${label}`);
        expect(place.directory).toBe(directory);
        expect(statSync(place.binaries.postgres).mode & 0o005).toBe(0o005);
        expect(lines.join()).toContain(`can't enter ${path.join(directory, 'closed')}`);
      } finally {
        rmSync(place.binaries.directory, { recursive: true });
      }
    },
  );
});
