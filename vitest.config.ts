// How the tests run: one Postgres and one Temporal for the run, a database of its own for each file.
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/support/sequencer.ts';

export default defineConfig({
  // As Node resolves: `development` would load a second graphql beside the one that packages load.
  ssr: { resolve: { conditions: ['module', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // To load everything anew for each file took a quarter of the run.
    isolate: false,
    // So that a spy of a test that failed does not fail those after it.
    restoreMocks: true,
    maxWorkers: 2,
    sequence: { sequencer: LongFilesFirst },
    // What is waited for comes late on a machine that is busy; who finds it at once loses nothing.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    env: { NODE_ENV: 'test' },
  },
});
