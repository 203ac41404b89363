// A process of the role `api` beside an installation, on the same servers.
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { startProgram, type Program } from '../../support/app/program.ts';
import type { Installation } from '../installation.ts';

export interface RunningApi extends AsyncDisposable {
  readonly program: Program;
  readonly api: Api;
}

export async function startApi(
  { api, env, program }: Installation,
  ownEnv: Record<string, string> = {},
): Promise<RunningApi> {
  const [port] = await findFreePorts([0]);
  const own = startProgram({
    command: ['api'],
    dataDirectory: program.dataDirectory,
    env: { ...env, FANFARE_PORT: String(port), FANFARE_RATE_LIMIT_PER_MINUTE: '0', ...ownEnv },
  });
  const ours = createApi(`http://127.0.0.1:${port}`, api.key);
  for (;;) {
    const answer = await ours.get('/v1/project').catch(() => undefined);
    if (answer?.status === 200) break;
    await Promise.race([sleep(50), own.exit.then(() => Promise.reject(new Error(own.output())))]);
  }
  return { program: own, api: ours, [Symbol.asyncDispose]: () => own.stop() };
}
