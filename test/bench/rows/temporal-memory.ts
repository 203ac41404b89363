// Whether the embedded Temporal server's memory stays bounded while posts conclude.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addAccounts } from '../endpoints.ts';
import { residentMb } from '../footprint.ts';
import { startInstallation } from '../installation.ts';
import { commitPosts, waitForAllConcluded } from '../posts.ts';
import type { Row } from '../result.ts';

const chunk = 500;
/** The server's own start-up and its caches are full by then. */
const warmUp = 2_000;
const count = 6_000;

export const temporalMemory: Row = {
  id: 'temporal_memory',
  title: `RSS that the embedded Temporal server gains from ${warmUp} to ${count} concluded posts`,
  async run(progress) {
    await using installation = await startInstallation();
    const record = join(dirname(installation.temporalFile), 'temporal.json');
    const { pid } = JSON.parse(readFileSync(record, 'utf8')) as { pid: number };
    const accountIds = await addAccounts(installation, 30);
    const samples: number[] = [];
    let before = 0;
    for (let concluded = 0; concluded < count;) {
      await commitPosts(installation, { count: chunk, targets: 1, accountIds, scheduledAt: null });
      await waitForAllConcluded(installation, { timeoutMs: 120_000 });
      concluded += chunk;
      samples.push(residentMb(pid));
      if (concluded === warmUp) before = samples.at(-1)!;
    }
    const after = samples.at(-1)!;
    progress(
      `${before.toFixed(0)} MB after ${warmUp} posts, ${after.toFixed(0)} MB after ${count}`,
    );
    return {
      id: 'temporal_memory',
      value: after - before,
      unit: 'MB',
      baseline: null,
      ratio: null,
      samples,
      details: { before, after },
    };
  },
};
