// Retrying one failed target, in a new run.
import { describe, expect, test } from 'vitest';
import { openState } from '../../../schema/database/posts/provider-state.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { addImage } from '../../support/rows/media.ts';
import {
  begin,
  changesOf,
  claim,
  conclude,
  createPartial,
  createStarted,
  eventsOf,
  failTarget,
  publishTarget,
  useAuthor,
} from '../../support/rows/posts.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest();
const author = useAuthor(rest);

const retry = (id: string, resultId: string, headers = {}) =>
  author.ask(id, `results/${resultId}/retry`, headers);

/** With a first comment that has failed under a target that is published. */
async function createUncommented() {
  const platform_posts = [{ account_id: author.accounts[0], first_comment: 'more' }];
  const { id, resultIds } = await createStarted(rest, author, { platform_posts });
  const { id: commentId } = await rest.context.db
    .selectFrom('post_results')
    .select('id')
    .where('answers_result_id', '=', resultIds[0])
    .executeTakeFirstOrThrow();
  return { id, resultId: resultIds[0], commentId };
}

describe('POST /v1/posts/:id/results/:result_id/retry', () => {
  test('begins the failed target anew, and the post is pending until it has ended', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    const before = await author.read(id);
    const { status, body } = await retry(id, resultIds[1]);
    expect(status).toBe(202);
    expect(body.data).toMatchObject({
      id: resultIds[1],
      status: 'pending',
      error_code: null,
      error_message: null,
      failure_stage: null,
      is_retriable: false,
      next_action: 'none',
      attempts: 1,
    });
    const during = await author.read(id);
    expect(during).toMatchObject({ status: 'pending', published_at: before.published_at });
    expect(during.results[0]).toEqual(before.results[0]);
    const row = (await findTarget(rest.context.db, resultIds[1]))!;
    const { phase, phase_state, clock, provider_state } = row;
    expect({ phase, phase_state, clock, provider_state }).toEqual({
      phase: 'prepare',
      phase_state: 'ready',
      clock: {},
      provider_state: null,
    });

    expect(await claim(rest, id)).toBe(true);
    await publishTarget(rest, resultIds[1]);
    await conclude(rest, id);
    const after = await author.read(id);
    expect(after).toMatchObject({ status: 'published', published_at: before.published_at });
    const events = await eventsOf(rest, id);
    expect(events.map(({ kind }) => kind)).toEqual(['post.partial', 'post.published']);
    expect(events[1]!.data.results.map((result) => result.status)).toEqual([
      'published',
      'published',
    ]);
    expect(await changesOf(rest, id)).toContain('result.retried');
  });

  test('records another event when the target fails again', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    await retry(id, resultIds[1]);
    await claim(rest, id);
    await failTarget(rest, resultIds[1]);
    await conclude(rest, id);
    await conclude(rest, id);
    expect((await eventsOf(rest, id)).map(({ kind }) => kind)).toEqual([
      'post.partial',
      'post.partial',
    ]);
  });

  test('checks the network first if the outcome was unknown', async () => {
    const { id, resultIds } = await createPartial(rest, author, 'outcome_unknown');
    await retry(id, resultIds[1]);
    const row = (await findTarget(rest.context.db, resultIds[1]))!;
    const { phase, phase_state, clock } = row;
    expect({ phase, phase_state, clock }).toEqual({
      phase: 'reconcile',
      phase_state: 'ready',
      clock: { reconcileChecks: 1, hasLostCommit: true },
    });
    expect(openState(rest.context.vault, row)).toEqual({ upload: 'u1' });
  });

  test('keeps the due time of the post, because a search at the network starts there', async () => {
    const { id, resultIds } = await createPartial(rest, author, 'outcome_unknown');
    const dueAt = async () => (await findTarget(rest.context.db, resultIds[1]))!.due_at;
    const before = await dueAt();
    await retry(id, resultIds[1]);
    expect(await dueAt()).toEqual(before);
  });

  test('retries a target of a post whose other targets are still being published', async () => {
    const { id, resultIds } = await createStarted(rest, author);
    await failTarget(rest, resultIds[0]);
    expect((await retry(id, resultIds[0])).status).toBe(202);
    const { results, status } = await author.read(id);
    expect(status).toBe('pending');
    expect(results.map((result) => result.status)).toEqual(['pending', 'pending']);
    expect(await claim(rest, id)).toBe(true);
  });

  test('retries the first comment alone if only the comment failed', async () => {
    const { id, resultId, commentId } = await createUncommented();
    await publishTarget(rest, resultId);
    await failTarget(rest, commentId);
    await conclude(rest, id);
    const before = await author.read(id);
    expect(before).toMatchObject({
      status: 'published',
      results: [{ first_comment: { status: 'failed' } }],
    });
    const { status, body } = await retry(id, resultId);
    expect(status).toBe(202);
    expect(body.data).toEqual({
      ...before.results[0],
      first_comment: {
        ...before.results[0]!.first_comment,
        status: 'pending',
        error_code: null,
        error_message: null,
        error_hint: null,
        error_docs_url: null,
        failure_stage: null,
        is_retriable: false,
        next_action: 'none',
      },
    });
  });

  test('retries the first comment along with its target', async () => {
    const { id, resultId, commentId } = await createUncommented();
    await failTarget(rest, resultId);
    await failTarget(rest, commentId, 'answered_post_missing');
    await conclude(rest, id);
    const { body } = await retry(id, resultId);
    expect(body.data).toMatchObject({ status: 'pending', first_comment: { status: 'pending' } });
  });

  test('answers a repeat with the same Idempotency-Key as the first time', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    const headers = { 'Idempotency-Key': `retry-${id}` };
    const first = await retry(id, resultIds[1], headers);
    const second = await retry(id, resultIds[1], headers);
    expect(second).toMatchObject({ status: 202, body: { data: first.body.data } });
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect((await retry(id, resultIds[1])).status).toBe(409);
  });
});

describe('a refused retry', () => {
  async function messageOf(id: string, resultId: string): Promise<string> {
    const { status, body } = await retry(id, resultId);
    expect(status).toBe(409);
    return body.error.message;
  }

  test('reports the status of a target that has not failed', async () => {
    const { id, resultIds } = await createStarted(rest, author);
    expect(await messageOf(id, resultIds[0])).toMatch(/^The target waits to be published/);
    await begin(rest, resultIds[0]);
    expect(await messageOf(id, resultIds[0])).toMatch(/^The target is being published/);
    const partial = await createPartial(rest, author);
    expect(await messageOf(partial.id, partial.resultIds[0])).toMatch(
      'The target is published: a retry would be a second post.',
    );
    const canceled = await author.create({ status: 'draft' });
    await author.ask(canceled.id, 'cancel');
    expect(await messageOf(canceled.id, canceled.results[0]!.id)).toMatch(
      /^The target was canceled/,
    );
  });

  test('names the reconnection if the account is disconnected', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    await rest.call('DELETE', `/v1/accounts/${author.accounts[1]}`, { key: author.key });
    const { status, body } = await retry(id, resultIds[1]);
    expect(status).toBe(409);
    expect(body.error.message).toContain('was disconnected.');
    expect(body.error.hint).toContain('Connect the account again (`POST /v1/accounts/connect`');
    expect((await author.read(id)).status).toBe('partial');
  });

  test('names the media of the target if they were deleted, and changes nothing', async () => {
    const { db } = rest.context;
    const mediaId = await addImage(db, author.projectId);
    const { id, resultIds } = await createStarted(rest, author, { media_ids: [mediaId] });
    for (const resultId of resultIds) await failTarget(rest, resultId);
    await conclude(rest, id);
    await db.updateTable('media').set({ status: 'deleted' }).where('id', '=', mediaId).execute();
    const before = await author.read(id);
    const { status, body } = await retry(id, resultIds[0]);
    expect([status, body.error]).toMatchObject([
      409,
      { code: 'media_expired', message: `The media were deleted: ${mediaId}.` },
    ]);
    expect(body.error.hint).toBe('Create a new post with new media.');
    expect(await author.read(id)).toEqual(before);
  });

  test('names the earlier part of a thread that has failed', async () => {
    const [account_id] = author.accounts;
    const platform_posts = [1, 2].map((thread_position) => ({ account_id, thread_position }));
    const { id, resultIds } = await createStarted(rest, author, { platform_posts });
    await failTarget(rest, resultIds[0]);
    await failTarget(rest, resultIds[1], 'answered_post_missing');
    await conclude(rest, id);
    expect(await messageOf(id, resultIds[1])).toBe(
      'The part of the thread before this one has failed: retry that one first.',
    );
    expect((await retry(id, resultIds[0])).status).toBe(202);
    expect((await retry(id, resultIds[1])).status).toBe(202);
  });

  test('is not found if the result belongs to another post', async () => {
    const { id } = await createPartial(rest, author);
    const { resultIds } = await createPartial(rest, author);
    expect((await retry(id, resultIds[1])).status).toBe(404);
    expect((await retry(id, 'res_unknown')).status).toBe(404);
  });

  test('reaches no real network if the key is for tests', async () => {
    const { id, resultIds } = await createPartial(rest, author);
    const { projectId } = author;
    const { key } = await rest.createTenant({ projectId, environment: 'test' });
    const answer = await rest.call('POST', `/v1/posts/${id}/results/${resultIds[1]}/retry`, {
      key,
    });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });
});
