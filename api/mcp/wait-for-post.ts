// The tool `wait_for_post`: reads a post again and again until it has ended. Between two reads, it holds nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { hasEnded, type PostStatus } from '../../schema/posts/posts.ts';
import { askOrFail, type Agent, type RestRequest } from './agent.ts';

/** The longest wait of one call, below the usual timeout of clients and proxies. */
export const maxWaitS = 50;

export const WaitArguments = z.object({
  timeout_s: z
    .int()
    .min(1)
    .max(maxWaitS)
    .default(maxWaitS)
    .meta({ description: 'Seconds to wait at most.' }),
});

/** The first reads come soon, because most posts take a second. */
const delaysMs = [250, 500, 1_000, 2_000];

const draftNote = 'A draft ends only after publish_post or schedule_post.';

export async function waitForPost(
  agent: Agent,
  request: RestRequest,
  { timeout_s }: z.infer<typeof WaitArguments>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  return agent.waits.run(agent.projectId, async (closing) => {
    const stop = AbortSignal.any([signal, closing]);
    const untilMs = performance.now() + timeout_s * 1_000;
    for (let reads = 0; ; reads++) {
      const body = await askOrFail(agent, request);
      const { status } = body['data'] as { status: PostStatus };
      if (hasEnded(status)) return { ...body, has_ended: true };
      if (status === 'draft') return { ...body, has_ended: false, note: draftNote };
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
