// `start` reports an unusable port or data directory before it starts a server.
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAllInOne } from '../../../api/cli/start.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { createDataDirectory, removeDataDirectory } from '../../support/app/program.ts';

/** Nothing was started. */
async function refusalOf(env: Record<string, string>): Promise<string> {
  const lines: string[] = [];
  const options = {
    print: (line: string) => void lines.push(line),
    fail: (reason: string) => {
      throw new Error(reason);
    },
    signal: new AbortController().signal,
  };
  const error = await startAllInOne(readConfig(env), options).catch((reason: Error) => reason);
  expect(lines.join('\n')).not.toMatch(/is up on/);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
}

test('a start refuses a port that is in use', async () => {
  const folder = createDataDirectory();
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as AddressInfo;
  expect(await refusalOf({ FANFARE_PORT: String(port), FANFARE_DATA_DIR: folder })).toContain(
    `Port ${port} on 127.0.0.1 is in use. Set FANFARE_PORT to another port.`,
  );
  await new Promise((resolve) => holder.close(resolve));
  await removeDataDirectory(folder);
});

test('a start refuses an unusable data directory', async () => {
  const folder = createDataDirectory();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await refusalOf({ FANFARE_PORT: '0', FANFARE_DATA_DIR: file })).toContain(
    `${file} cannot be the data directory: `,
  );
  await removeDataDirectory(folder);
});
