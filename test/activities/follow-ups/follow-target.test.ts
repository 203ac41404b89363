// Follow-ups: a published target whose network finishes later, or removes the post.
import { describe, expect, test } from 'vitest';
import { followTarget } from '../../../activities/follow-ups/follow-target.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { FollowedPost, FollowUpOutcome } from '../../../activities/platforms/platform.ts';
import { restartFollowUps } from '../../../schema/database/posts/after-publishing/follow-ups.ts';
import { useEditableNetwork } from '../../support/changes/editable-network.ts';
import {
  changeDependencies,
  changeToEnd,
  publishPost,
  readResult,
  requestChange,
} from '../../support/changes/run-change.ts';
import type { SimulatedNetwork } from '../../support/networks/network.ts';
import { disconnect, listOutcomeEvents } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { quietNotifier } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();
const editable = useEditableNetwork();
const hourMs = 3_600_000;

/** A network that publishes without a URL, and then gives these answers in turn. */
async function publishUnfinished(answers: (FollowUpOutcome | PlatformError)[], forMs = hourMs) {
  const asked: FollowedPost[] = [];
  const network = {
    ...editable,
    platform: {
      ...editable.platform,
      commit() {
        const state = { token: 'secret-state' };
        const published = { externalId: null, url: null, visibility: 'public' };
        return Promise.resolve({
          outcome: 'published' as const,
          published: { ...published, followUp: { state, forMs } },
        });
      },
      followUp(post: FollowedPost) {
        asked.push(post);
        const answer = answers.shift()!;
        return answer instanceof PlatformError ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
  } as unknown as SimulatedNetwork;
  const post = await publishPost(database.db, network);
  const resultId = post.resultIds[0]!;
  const dependencies = changeDependencies(database.db, network);
  return {
    post,
    resultId,
    asked,
    dependencies,
    follow: () => followTarget(dependencies, { resultId }),
    read: () => readResult(database.db, resultId),
    readEvents: async () =>
      (await listOutcomeEvents(database.db, post)).map(({ kind, body }) => {
        return { kind, data: JSON.parse(body).data as Record<string, unknown> };
      }),
  };
}

const setDue = (resultId: string, column: 'follow_at' | 'follow_until' = 'follow_at') =>
  database.db
    .updateTable('post_results')
    .set({ [column]: new Date(0) })
    .where('id', '=', resultId)
    .execute();

const listWorkflows = (resultId: string) =>
  database.db
    .selectFrom('outbox')
    .select(['workflow', 'input'])
    .where('workflow', '=', 'followResult')
    .where('input', '=', JSON.stringify({ resultId }) as never)
    .execute();

const finished = { externalId: '7', url: 'https://example.com/7', visibility: 'public' };

describe('a follow-up', () => {
  test('starts with the publication, and records the ID and the URL that the network gives later', async () => {
    const { resultId, asked, follow, read, readEvents } = await publishUnfinished([
      { outcome: 'more', waitMs: 30_000 },
      { outcome: 'done', finished },
    ]);
    expect(await read()).toMatchObject({ status: 'published', external_id: null, url: null });
    expect(await listWorkflows(resultId)).toHaveLength(1);
    const before = await read();
    expect(before.provider_state!.toString('latin1')).not.toContain('secret-state');

    expect(await follow()).toBe(30_000);
    expect(await follow()).toBeGreaterThan(20_000);
    expect(asked).toMatchObject([{ externalId: null, state: { token: 'secret-state' } }]);

    await setDue(resultId);
    expect(await follow()).toBeNull();
    const after = await read();
    expect(after).toMatchObject({
      status: 'published',
      external_id: '7',
      url: 'https://example.com/7',
      published_at: before.published_at,
      follow_at: null,
      follow_until: null,
      provider_state: null,
    });
    expect(after.revision).toBeGreaterThan(before.revision);
    const events = await readEvents();
    expect(events.map(({ kind }) => kind)).toEqual(['post.published', 'post.updated']);
    expect(events[1]!.data).toMatchObject({
      result_id: resultId,
      changed: ['external_id', 'url'],
      results: [{ external_id: '7', url: 'https://example.com/7', visibility: 'public' }],
    });
    expect(await follow()).toBeNull();
    expect(asked).toHaveLength(2);
  });

  test('records nothing if nothing has changed, and never replaces an ID', async () => {
    const { resultId, follow, read, readEvents } = await publishUnfinished([
      { outcome: 'more', waitMs: 1, finished },
      { outcome: 'more', waitMs: 1, finished: { ...finished, externalId: '8' } },
      { outcome: 'done', finished: { visibility: 'private' } },
    ]);
    for (let i = 0; i < 3; i++) {
      await follow();
      if (i < 2) await setDue(resultId);
    }
    expect(await read()).toMatchObject({ external_id: '7', visibility: 'private' });
    const events = await readEvents();
    expect(events.map(({ data }) => data['changed'])).toEqual([
      undefined,
      ['external_id', 'url'],
      ['visibility'],
    ]);
  });

  test('of a post that the network has removed ends as unpublished', async () => {
    const { post, follow, read, readEvents } = await publishUnfinished([{ outcome: 'gone' }]);
    expect(await follow()).toBeNull();
    expect(await read()).toMatchObject({ status: 'unpublished', operation: null, follow_at: null });
    expect((await readEvents()).map(({ kind }) => kind)).toEqual([
      'post.published',
      'post.unpublished',
    ]);
    const { status } = await database.db
      .selectFrom('posts')
      .select('status')
      .where('id', '=', post.postId)
      .executeTakeFirstOrThrow();
    expect(status).toBe('published');
  });

  test('leaves a removed post to a change in progress', async () => {
    const { post, resultId, follow, read, dependencies } = await publishUnfinished([
      { outcome: 'more', waitMs: 1, finished },
      { outcome: 'gone' },
    ]);
    await follow();
    await setDue(resultId);
    const change = await requestChange(database.db, post, resultId, 'unpublish');
    expect(await follow()).toBeNull();
    expect(await read()).toMatchObject({ status: 'published', operation: change });
    expect(await changeToEnd(dependencies, change)).toMatchObject({ status: 'succeeded' });
    expect(await read()).toMatchObject({ status: 'unpublished' });
  });

  test('waits after an outage, and ends after a refusal', async () => {
    const { resultId, follow, read } = await publishUnfinished([
      new PlatformError('unavailable', 'Down.'),
      new PlatformError('rate_limited', 'Slow down.', { retryAfterMs: 5_000 }),
      new PlatformError('rejected', 'No.'),
    ]);
    expect(await follow()).toBe(60_000);
    await setDue(resultId);
    expect(await follow()).toBe(5_000);
    await setDue(resultId);
    expect(await follow()).toBeNull();
    expect(await read()).toMatchObject({ status: 'published', follow_at: null });
  });

  test('ends when its time is over, and when the account is disconnected', async () => {
    const late = await publishUnfinished([]);
    await setDue(late.resultId, 'follow_until');
    expect(await late.follow()).toBeNull();
    expect(await late.read()).toMatchObject({ status: 'published', follow_until: null });

    const cut = await publishUnfinished([]);
    await disconnect(database.db, (await cut.read()).social_account_id);
    expect(await cut.follow()).toBeNull();
    expect([late.asked, cut.asked]).toEqual([[], []]);
  });

  test('gets another workflow if its own is lost', async () => {
    const { resultId, follow } = await publishUnfinished([{ outcome: 'more', waitMs: 1 }]);
    await follow();
    await setDue(resultId);
    expect(await restartFollowUps(database.db, quietNotifier, 60_000)).toContain(resultId);
    expect(await listWorkflows(resultId)).toHaveLength(2);
    expect(await restartFollowUps(database.db, quietNotifier, 60_000)).not.toContain(resultId);
  });
});
