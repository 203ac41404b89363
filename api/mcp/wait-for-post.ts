// The tool `wait_for_post`: reads a post again and again until it has ended. Between two reads, it holds nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { validationError } from '../../schema/wire/errors.ts';
import { askOrFail, type Agent, type RestRequest } from './agent.ts';
import { maxWaitS } from './definitions.ts';

const waitingStatuses: ReadonlySet<unknown> = new Set(['scheduled', 'pending']);
/** The first reads come soon, because most posts take a second. */
const delaysMs = [250, 500, 1_000, 2_000];

export async function waitForPost(
  agent: Agent,
  request: RestRequest,
  { timeout_s = maxWaitS }: { timeout_s?: unknown },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const isValid = typeof timeout_s === 'number' && Number.isInteger(timeout_s);
  if (!isValid || timeout_s < 1 || timeout_s > maxWaitS) {
    const message = `must be a whole number of seconds from 1 to ${maxWaitS}`;
    throw validationError([{ path: ['timeout_s'], code: 'out_of_range', message }]);
  }
  return agent.waits.run(agent.projectId, async (closing) => {
    const stop = AbortSignal.any([signal, closing]);
    const untilMs = performance.now() + timeout_s * 1_000;
    for (let reads = 0; ; reads++) {
      const body = await askOrFail(agent, request);
      const { status } = body['data'] as { status: string };
      if (!waitingStatuses.has(status)) return { ...body, has_ended: true };
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || stop.aborted) {
        const note = 'The post has not ended yet. Call wait_for_post again.';
        return { ...body, has_ended: false, note };
      }
      const delayMs = Math.min(delaysMs[Math.min(reads, delaysMs.length - 1)]!, leftMs);
      await sleep(delayMs, undefined, { signal: stop }).catch(() => undefined);
    }
  });
}
