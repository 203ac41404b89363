// Runs a post as the workflow does, without its timers: claims it, advances its targets, concludes it.
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { createAdmission } from '../../../activities/publishing/admission.ts';
import { createPublishing } from '../../../activities/publishing/index.ts';
import type { BegunTarget, NotDue, TargetProgress } from '../../../schema/workflows.ts';
import { run, type TestPost } from './posting.ts';

/** Hides the warnings of a worker that dies. */
const logger = new DefaultLogger('ERROR');

export async function runPost(
  dependencies: AdvanceDependencies,
  { postId, workflowId }: TestPost,
): Promise<void> {
  const publishing = createPublishing({
    ...dependencies,
    admission: createAdmission(),
    stopping: new AbortController().signal,
    log: pino({ level: 'silent' }),
  });
  const worker = new MockActivityEnvironment(
    { workflowExecution: { workflowId, runId: 'r' } },
    { logger },
  );
  const input = { postId, run };
  const targets = (await worker.run(publishing.beginPost, input)) as BegunTarget[] | NotDue | null;
  if (!targets || 'waitMs' in targets) return;
  for (const { resultId, progress: begun } of targets) {
    const advance = async () =>
      (await worker.run(publishing.advanceTarget, { resultId, run })) as TargetProgress;
    let progress = begun ?? (await advance());
    for (let i = 0; progress.waitMs !== null; i++) {
      if (i === 200) throw new Error('The target does not end.');
      await sleep(progress.waitMs);
      progress = await advance();
    }
  }
  await worker.run(publishing.concludePost, input);
}
