// A warm start of everything in one process: from the command to the first answer to a key.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { startProgram } from '../../support/app/program.ts';
import { findTemporal } from '../../support/servers/servers.ts';
import { createBenchDirectory } from '../installation.ts';
import { median, type Row } from '../result.ts';

const rounds = 3;

export const start: Row = {
  id: 'start',
  title: `warm start to the first answer, ${rounds} times`,
  async run(progress) {
    const directory = createBenchDirectory();
    const key = 'fan_bench_key_of_twenty_characters';
    const temporalCli = await findTemporal();
    const answered: number[] = [];
    const ready: number[] = [];
    try {
      for (let round = 0; round <= rounds; round++) {
        const [port] = await findFreePorts([0]);
        const startedAt = performance.now();
        const since = () => (performance.now() - startedAt) / 1_000;
        await using program = startProgram({
          dataDirectory: join(directory, 'data'),
          env: {
            FANFARE_PORT: String(port),
            FANFARE_API_KEY: key,
            TEMPORAL_CLI: temporalCli,
            FANFARE_LOG_LEVEL: 'error',
          },
        });
        const api = createApi(`http://127.0.0.1:${port}`, key);
        const isReady = program.waitForReady({ timeoutMs: 120_000 }).then(since);
        isReady.catch(() => undefined);
        // The first round makes the databases and the bundle; those after it are warm.
        const firstAnswerS = await firstAnswer(api, isReady).then(since);
        const readyS = await isReady;
        if (round === 0) continue;
        answered.push(firstAnswerS);
        ready.push(readyS);
        progress(`${firstAnswerS.toFixed(2)} s; ready after ${readyS.toFixed(2)} s`);
      }
    } finally {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
    return {
      id: 'start',
      value: median(answered),
      unit: 's',
      baseline: null,
      ratio: null,
      samples: answered,
      details: { ready: median(ready) },
    };
  },
};

/** Gives up when the program does. */
async function firstAnswer(api: Api, program: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  program.catch(() => (hasEnded = true));
  for (;;) {
    const answer = await api.get('/v1/project').catch(() => undefined);
    if (answer?.status === 200) return;
    if (hasEnded) await program;
    await sleep(20);
  }
}
