// Steps after the publication of a target: outcomes of their own, which never change that of the target.
import { describe, expect, test } from 'vitest';
import { concludePost } from '../../../activities/publishing/conclude-post.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Step, Target } from '../../../activities/platforms/platform.ts';
import { createEditableNetwork } from '../../support/changes/editable-network.ts';
import { readResult } from '../../support/changes/run-change.ts';
import type { SimulatedNetwork } from '../../support/networks/network.ts';
import { advanceToEnd, dependenciesOf, run, writePost } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const lost = () => new PlatformError('unknown_outcome', 'No answer.');

/** Publishes a target with a step, whose calls give these answers in turn. */
async function publish(answers: (PlatformError | undefined)[], isDone?: boolean[]) {
  const editable = createEditableNetwork();
  const calls: Target[] = [];
  const step: Step = {
    run(target) {
      calls.push(target);
      const error = answers.shift();
      return error ? Promise.reject(error) : Promise.resolve();
    },
    ...(isDone && { isDone: () => Promise.resolve(isDone.shift()!) }),
  };
  const platform = { ...editable.platform, steps: { thumbnail: step } };
  const network = { ...editable, platform } as unknown as SimulatedNetwork;
  const post = await writePost(database.db, network, 'commented');
  const [resultId, stepId] = post.resultIds as [string, string];
  await database.db
    .updateTable('post_results')
    .set({ kind: 'step', step: 'thumbnail', caption: '' })
    .where('id', '=', stepId)
    .execute();
  const dependencies = dependenciesOf(database.db, network);
  await advanceToEnd(dependencies, resultId);
  await advanceToEnd(dependencies, stepId);
  const concluded = await concludePost(dependencies, { postId: post.postId, run });
  return {
    calls,
    editable,
    concluded,
    result: await readResult(database.db, resultId),
    step: await readResult(database.db, stepId),
  };
}

describe('a step', () => {
  test('gets the ID of the published post, and ends as an outcome of its own', async () => {
    const { calls, editable, concluded, result, step } = await publish([undefined]);
    expect(calls).toMatchObject([{ replyTo: result.external_id }]);
    expect(editable.posts.size).toBe(1);
    expect(step).toMatchObject({ status: 'published', external_id: null, attempts: 1 });
    expect(concluded).toMatchObject({ status: 'published' });
  });

  test('that fails leaves the target and the post published', async () => {
    const { concluded, result, step } = await publish([new PlatformError('rejected', 'No.')]);
    expect(step).toMatchObject({ status: 'failed', error_code: 'rejected', error_message: 'No.' });
    expect(result).toMatchObject({ status: 'published', error_code: null });
    expect(concluded).toMatchObject({ status: 'published' });
  });

  test('is repeated after a lost answer if a repeat changes nothing', async () => {
    const { calls, step } = await publish([lost(), undefined]);
    expect(calls).toHaveLength(2);
    expect(step).toMatchObject({ status: 'published' });
  });

  test('is looked up after a lost answer, and not repeated if it was taken', async () => {
    const { calls, step } = await publish([lost()], [true]);
    expect(calls).toHaveLength(1);
    expect(step).toMatchObject({ status: 'published' });
  });
});
