// The deadline of a target: a target that was not sent by then is never sent.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import { deletePause, insertPause } from '../../../schema/database/pauses.ts';
import { setProject } from '../../../schema/database/projects.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';
import {
  addAccount,
  addTarget,
  addTargets,
  advanceToEnd,
  targetRun,
} from '../../support/rows/targets.ts';

const database = useDatabase();

beforeEach(async () => {
  await database.db.deleteFrom('rate_limits').execute();
});
const network = useScriptedNetwork();
const dependencies = forEachTest(() =>
  dependenciesOf(database.db, network, { ...defaultTargetClock, reconcileDelaysMs: [0, 5] }),
);

/** Sets the deadline `seconds` from now, by the clock of the database. */
async function setDeadline(postId: string, seconds: number): Promise<void> {
  await database.db
    .updateTable('posts')
    .set({ publish_by: sql<Date>`now() + ${seconds} * interval '1 s'` })
    .where('id', '=', postId)
    .execute();
}

async function isPast(postId: string): Promise<boolean> {
  const { rows } = await sql`
    select from posts where id = ${postId} and publish_by < now()`.execute(database.db);
  return rows.length > 0;
}

const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run: targetRun });

describe('a target', () => {
  test('is sent before its deadline', async () => {
    const { postId, resultId } = await addTarget(database.db);
    await setDeadline(postId, 60);
    expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
  });

  test('fails after its deadline, without a call', async () => {
    const { postId, resultId } = await addTarget(database.db);
    await setDeadline(postId, -1);
    expect(await advanceToEnd(dependencies, resultId)).toMatchObject({
      status: 'failed',
      error_code: 'deadline_passed',
      error_message: 'The deadline passed before the post could be sent.',
      failure_stage: 'commit',
      is_retriable: false,
      next_action: 'edit_content',
      attempts: 0,
    });
    expect(network.calls).toBe(0);
  });

  test('fails at its deadline while it waits for a rate limit, and says so', async () => {
    const { postId, resultId } = await addTarget(database.db);
    await setDeadline(postId, 2);
    network.script = ['rate_limit'];
    const { waitMs } = await advance(resultId);
    expect(waitMs).toBeGreaterThan(500);
    expect(waitMs).toBeLessThanOrEqual(2_000);
    const ended = await advanceToEnd(dependencies, resultId);
    expect(ended).toMatchObject({ status: 'failed', error_code: 'deadline_passed' });
    expect(ended.error_message).toBe(
      'The deadline passed before the post could be sent. The target waited for a rate limit.',
    );
    expect(network.calls).toBe(1);
  });

  test('fails once its project is resumed if the deadline passed during the pause', async () => {
    const { projectId, postId, resultId } = await addTarget(database.db);
    await insertPause(database.db, projectId);
    await advanceToEnd(dependencies, resultId);
    await setDeadline(postId, -1);
    await deletePause(database.db, projectId);
    const ended = await advanceToEnd(dependencies, resultId);
    expect(ended).toMatchObject({ status: 'failed', error_code: 'deadline_passed' });
    expect(network.calls).toBe(0);
  });

  test('has the default deadline of its project if the post has none', async () => {
    const { projectId, postId, resultId } = await addTarget(database.db);
    await setProject(database.db, projectId, { publish_within_s: 60 });
    await database.db
      .updateTable('posts')
      .set({ due_at: sql<Date>`now() - interval '61 s'` })
      .where('id', '=', postId)
      .execute();
    expect(await advanceToEnd(dependencies, resultId)).toMatchObject({
      status: 'failed',
      error_code: 'deadline_passed',
    });
  });

  test('is not sent if its deadline passes between the read and the call', async () => {
    const { postId, resultId } = await addTarget(database.db);
    await setDeadline(postId, 0.3);
    const loadMedia = async () => {
      await expect.poll(() => isPast(postId)).toBe(true);
      return [];
    };
    expect(await advanceToEnd({ ...dependencies, loadMedia }, resultId)).toMatchObject({
      status: 'failed',
      error_code: 'deadline_passed',
      steps: 0,
    });
    expect(network.calls).toBe(0);
  });
});

describe('a deadline that passes', () => {
  test('fails a target whose answer was lost if the check does not find its post', async () => {
    const { postId, resultId } = await addTarget(database.db);
    network.script = [new PlatformError('unknown_outcome', 'No answer.')];
    await advance(resultId);
    await setDeadline(postId, -1);
    const ended = await advanceToEnd(dependencies, resultId);
    expect(ended).toMatchObject({ status: 'failed', error_code: 'deadline_passed' });
    expect(network.calls).toBe(1);
  });

  test('fails a target that a restore brought back, unless the network has the post', async () => {
    const { postId, resultId } = await addTarget(database.db);
    await setDeadline(postId, -1);
    await database.db
      .updateTable('posts')
      .set({ restored_at: sql<Date>`now()` })
      .where('id', '=', postId)
      .execute();
    const ended = await advanceToEnd(dependencies, resultId);
    expect(ended).toMatchObject({ status: 'failed', error_code: 'deadline_passed' });
    expect(network.calls).toBe(0);
  });

  test('does not fail a target whose answer was lost if the check finds its post', async () => {
    const { postId, resultId } = await addTarget(database.db);
    network.script = ['lose_answer'];
    await advance(resultId);
    await setDeadline(postId, -1);
    const ended = await advanceToEnd(dependencies, resultId);
    expect(ended).toMatchObject({ status: 'published', external_id: 'post-0' });
    expect(network.calls).toBe(1);
  });

  test('lets the rest of a thread and its comment follow once the first part is published', async () => {
    const account = await addAccount(database.db);
    const { postId, resultIds } = await addTargets(database.db, account, [
      {},
      { answers: 0 },
      { answers: 0, kind: 'comment' },
    ]);
    await advanceToEnd(dependencies, resultIds[0]!);
    await setDeadline(postId, -1);
    for (const resultId of resultIds.slice(1)) {
      expect(await advanceToEnd(dependencies, resultId)).toMatchObject({ status: 'published' });
    }
  });
});
