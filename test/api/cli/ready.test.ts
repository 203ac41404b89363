// `api` and `worker` print one line when they are ready, with their address.
import { expect, inject, test } from 'vitest';
import { startProgram } from '../../support/app/program.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();

test.each([
  ['api', /^Fanfare is ready at (http:\S+)$/m],
  ['worker', /^The worker is ready\. Probes: (http:\S+)\/readyz$/m],
])(
  '%s prints its address',
  async (command, line) => {
    await using program = startProgram({
      command: [command],
      env: {
        DATABASE_URL: database.url,
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        TEMPORAL_TASK_QUEUE: 'ready',
        FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      },
    });
    const [, url] = await program.waitForOutput(line);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  },
  60_000,
);
