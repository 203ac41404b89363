// How the tests run: one Postgres and one Temporal for the run, each file in a process of its own.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As Node resolves: `development` would load a second graphql beside the one that packages load.
  ssr: { resolve: { conditions: ['module', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    isolate: true,
    maxWorkers: 2,
    // What is waited for comes late on a machine that is busy; who finds it at once loses nothing.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    env: { NODE_ENV: 'test' },
  },
});
