// `start` reports an unusable port or data directory before it starts a server.
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createDataDirectory,
  removeDataDirectory,
  startProgram,
  type ProgramOptions,
} from '../../support/app/program.ts';

async function refusalOf(options: ProgramOptions): Promise<string> {
  await using program = startProgram(options);
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.output()).not.toContain('is up on');
  return program.output();
}

describe('start', () => {
  test('refuses a port that is in use', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    expect(await refusalOf({ env: { FANFARE_PORT: String(port) } })).toContain(
      `Port ${port} on 127.0.0.1 is in use. Set FANFARE_PORT to another port.`,
    );
    await new Promise((resolve) => holder.close(resolve));
  });

  test('refuses an unusable data directory', async () => {
    const folder = createDataDirectory();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(await refusalOf({ env: { FANFARE_DATA_DIR: file } })).toContain(
      `${file} cannot be the data directory: `,
    );
    await removeDataDirectory(folder);
  });
});
