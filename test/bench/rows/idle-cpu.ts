// CPU time of an idle installation, beside the same servers with a bare worker of the SDK.
import { setTimeout as sleep } from 'node:timers/promises';
import { startBareWorker } from '../bare-worker.ts';
import {
  countsBetween,
  cpuMsOf,
  measureCpu,
  openCounters,
  serverPids,
  type Spent,
} from '../costs.ts';
import { startInstallation } from '../installation.ts';
import type { Row } from '../result.ts';

/** Temporal is busy for some seconds of each minute, when workers ask again for work. */
const seconds = 60;
const settleMs = 5_000;

export const idleCpu: Row = {
  id: 'idle_cpu',
  title:
    `CPU milliseconds per second of Postgres, Temporal and the program, idle for ${seconds} s; ` +
    'at the same time Postgres, Temporal and a bare worker of the SDK',
  async run(progress) {
    await using installation = await startInstallation({}, { countsStatements: true });
    await using bare = await startInstallation({}, { countsStatements: true });
    await bare.program.stop();
    await using worker = await startBareWorker(bare);
    await using counters = await openCounters(installation);
    const pids = { worker: installation.program.pid, ...serverPids(installation) };
    const barePids = { worker: worker.pid, ...serverPids(bare) };
    await sleep(settleMs);
    const rest = () => sleep(seconds * 1_000);
    const before = await counters.read(installation.databaseUrl);
    const [spent, bareSpent] = await Promise.all([
      measureCpu(pids, rest),
      measureCpu(barePids, rest),
    ]);
    const counts = countsBetween(before, await counters.read(installation.databaseUrl));

    const [value, baseline] = [totalOf(spent), totalOf(bareSpent)];
    progress(`${value.toFixed(1)} ms/s; with a bare worker ${baseline.toFixed(1)} ms/s`);
    return {
      id: 'idle_cpu',
      value,
      unit: 'ms/s',
      baseline,
      ratio: value / baseline,
      samples: [value],
      details: {
        program: spent.cpuMs.worker / seconds,
        postgres: spent.cpuMs.postgres / seconds,
        temporal: spent.cpuMs.temporal / seconds,
        bare_worker: bareSpent.cpuMs.worker / seconds,
        bare_postgres: bareSpent.cpuMs.postgres / seconds,
        bare_temporal: bareSpent.cpuMs.temporal / seconds,
        statements_per_s: counts.statements / seconds,
        commits_per_s: counts.commits / seconds,
        fsyncs_per_s: counts.fsyncs / seconds,
      },
    };
  },
};

/** Milliseconds per second. */
function totalOf(spent: Spent<'worker' | 'postgres' | 'temporal'>): number {
  return cpuMsOf(spent, 'worker', 'postgres', 'temporal') / seconds;
}
