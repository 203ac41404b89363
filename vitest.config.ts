// How the tests run: one Postgres and one Temporal for the run, a database of its own for each file.
import { defineConfig } from 'vitest/config';
import { RunReporter } from './test/support/report.ts';
import { LongFilesFirst } from './test/support/sequencer.ts';

export default defineConfig({
  // As Node resolves: `development` would load a second graphql beside the one that packages load, and
  // `module` files that Node can't.
  ssr: { resolve: { conditions: ['module-sync', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/compile-cache.ts'],
    reporters: ['default', new RunReporter()],
    pool: 'forks',
    // Loading everything again for each file took a quarter of the run.
    isolate: false,
    // A failed test must not leave its spies to the next one.
    restoreMocks: true,
    // Files also wait: for timers, timeouts and programs. Three of them keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    // Long enough for a busy machine. A poll that succeeds costs nothing.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    env: { NODE_ENV: 'test' },
  },
});
