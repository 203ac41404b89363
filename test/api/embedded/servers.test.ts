// Embedded servers: how they end, orphans, and the place of Postgres for root.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { binariesIn } from '../../../api/embedded/postgres-programs.ts';
import { choosePostgresPlace } from '../../../api/embedded/postgres-place.ts';
import { findProcessesIn } from '../../../api/embedded/process-table.ts';
import {
  spawnServer,
  stopLeftRunning,
  type ServerProcess,
} from '../../../api/embedded/server-process.ts';

let directory: string;
let lines: string[];
const progress = (line: string) => void lines.push(line);
const stopPlan = [['SIGTERM', 5000]] as const;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'fanfare-servers-')));
  lines = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

function spawnScript(script: string, executable = '/bin/sh'): ServerProcess {
  return spawnServer({
    name: 'It',
    dataDirectory: directory,
    executable,
    args: ['-c', script],
    workingDirectory: directory,
    ports: {},
    env: {},
    stopPlan,
  });
}

describe('spawnServer', () => {
  test('reports how a server ended, with its last lines', async () => {
    const server = spawnScript('seq 9; exit 3');
    const reason = await new Promise<string>((resolve) => server.onExit(resolve));
    expect(reason).toBe('It ended with exit code 3.\n4\n5\n6\n7\n8\n9');
  });

  test('reports nothing for a server that we stopped', async () => {
    const server = spawnScript('exec sleep 60');
    const reasons: string[] = [];
    server.onExit((reason) => reasons.push(reason));
    await server.stop();
    expect(findProcessesIn(directory, /sleep 60/)).toEqual([]);
    expect(reasons).toEqual([]);
  });

  test('reports a program that is missing', async () => {
    const server = spawnScript('', '/missing');
    const reason = await new Promise<string>((resolve) => server.onExit(resolve));
    expect(reason).toMatch(/^It ended with exit code 127\.\n.*\/missing/);
    await server.stop();
  });
});

describe('stopLeftRunning', () => {
  test('stops a server in the folder, and no other process there', async () => {
    const [server, other] = [spawnScript('exec sleep 60'), spawnScript('exec sleep 61')];
    await stopLeftRunning('it', directory, /sleep 60/, stopPlan, progress);
    expect(findProcessesIn(directory, /sleep 6/)).toEqual([other.pid]);
    expect(lines).toEqual([
      `Stopping it (process ${server.pid}), left running by an earlier start.`,
    ]);
    await other.stop();
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
