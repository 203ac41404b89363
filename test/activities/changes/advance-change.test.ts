// Edits and removals of published targets: made at most once, and never reported as made unless the network says so.
import { beforeEach, describe, expect, test } from 'vitest';
import { advanceChange } from '../../../activities/changes/advance-change.ts';
import type { Edit } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { insertRestore } from '../../../schema/database/dispatch/restores.ts';
import { insertPause, deletePause } from '../../../schema/database/pauses.ts';
import { accountLimitKey, setBlocked } from '../../../schema/database/posts/rate-limits.ts';
import { useEditableNetwork } from '../../support/changes/editable-network.ts';
import {
  changeDependencies,
  changeToEnd,
  publishPost,
  readChange,
  readResult,
  requestChange,
} from '../../support/changes/run-change.ts';
import type { SimulatedNetwork } from '../../support/networks/network.ts';
import { disconnect, listOutcomeEvents, type Shape } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const network = useEditableNetwork();
const unavailable = () => new PlatformError('unavailable', 'Connection refused.');
const edited = { caption: 'edited' };
const sources = { unpublish: '', edit: '' };

const dependencies = (change: object = {}) => {
  const platform = { ...network.platform, ...change };
  return changeDependencies(database.db, { platform });
};

async function publish(shape?: Shape) {
  const post = await publishPost(database.db, network as unknown as SimulatedNetwork, shape);
  network.calls.length = 0;
  const [resultId, replyId] = post.resultIds as [string, string];
  const request = (type: 'edit' | 'unpublish', id = resultId) =>
    requestChange(database.db, post, id, type, type === 'edit' ? edited : null);
  return { post, resultId, replyId, request };
}

const readStatus = async (resultId: string) => {
  const { status, operation } = await readResult(database.db, resultId);
  return operation === null ? status : `${status}, changing`;
};
const readPostStatus = async (postId: string) =>
  (
    await database.db
      .selectFrom('posts')
      .select('status')
      .where('id', '=', postId)
      .executeTakeFirstOrThrow()
  ).status;

describe('a removal', () => {
  test('removes the post, and leaves the status and the usage of the post as they are', async () => {
    const { post, resultId, request } = await publish();
    const before = await readResult(database.db, resultId);
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change).toMatchObject({ status: 'succeeded', error_code: null });
    expect(network.posts.size).toBe(0);
    const after = await readResult(database.db, resultId);
    expect(after).toMatchObject({ status: 'unpublished', operation: null, content_hash: null });
    expect(after.unpublished_at).not.toBeNull();
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(after.usage_month).toBe(before.usage_month);
    expect(await readPostStatus(post.postId)).toBe('published');
    const events = await listOutcomeEvents(database.db, post);
    expect(events.map(({ kind }) => kind)).toEqual(['post.published', 'post.unpublished']);
    expect(JSON.parse(events[1]!.body).data).toMatchObject({
      result_id: resultId,
      status: 'published',
      results: [{ status: 'unpublished' }],
    });
  });

  test('whose answer is lost is looked up, and not made again', async () => {
    network.script = ['lose_answer'];
    const { resultId, request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change.status).toBe('succeeded');
    expect([network.calls, network.lookUps]).toEqual([['remove post-1'], ['exists post-1']]);
    expect(await readStatus(resultId)).toBe('unpublished');
  });

  test('that did not arrive is made again after the last check', async () => {
    network.script = ['cut'];
    const { resultId, request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change.status).toBe('succeeded');
    expect(network.calls).toHaveLength(2);
    expect(network.lookUps).toHaveLength(3);
    expect(await readStatus(resultId)).toBe('unpublished');
  });

  test('is not taken for made while no check answers', async () => {
    network.script = ['cut'];
    network.lookUpErrors = Array.from({ length: 20 }, unavailable);
    const { resultId, request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change).toMatchObject({ status: 'outcome_unknown', error_code: 'outcome_unknown' });
    expect(network.calls).toHaveLength(1);
    expect(await readStatus(resultId)).toBe('published');
  });

  test('of a network without a look-up is repeated, because the network tells if the post is gone', async () => {
    network.script = ['lose_answer'];
    const { resultId, request } = await publish();
    const { remove } = network.platform.unpublish!;
    const change = await changeToEnd(
      dependencies({ unpublish: { remove } }),
      await request('unpublish'),
    );
    expect(change.status).toBe('succeeded');
    expect(network.calls).toEqual(['remove post-1', 'remove post-1']);
    expect(await readStatus(resultId)).toBe('unpublished');
  });

  test('of a post that is gone succeeds', async () => {
    const { resultId, request } = await publish();
    network.posts.clear();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change.status).toBe('succeeded');
    expect(await readStatus(resultId)).toBe('unpublished');
  });

  test('that the network refuses fails, and the post stays published', async () => {
    network.script = [new PlatformError('rejected', 'The post is locked.')];
    const { post, resultId, request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change).toMatchObject({
      status: 'failed',
      error_code: 'rejected',
      error_message: 'The post is locked.',
    });
    expect(await readStatus(resultId)).toBe('published');
    expect(await listOutcomeEvents(database.db, post)).toHaveLength(1);
  });

  test('is made by only one of two executions', async () => {
    const { request } = await publish();
    const changeId = await request('unpublish');
    const other = dependencies();
    network.onCall = async () => {
      delete network.onCall;
      expect(await advanceChange(other, { changeId })).toBeGreaterThan(0);
    };
    expect((await changeToEnd(dependencies(), changeId)).status).toBe('succeeded');
    expect(network.calls).toEqual(['remove post-1']);
  });

  test.each([
    ['was carried out', 'lose_answer', ['remove post-1']],
    ['never arrived', 'cut', ['remove post-1', 'remove post-1']],
  ] as const)('of a dead process is looked up first: it %s', async (_, behavior, calls) => {
    const { resultId, request } = await publish();
    const changeId = await request('unpublish');
    const dead = dependencies();
    network.script = [behavior];
    const inTransaction = () => {
      throw new Error('died');
    };
    // The process dies after the call, before it records the answer.
    const db = new Proxy(database.db, {
      get(target, name, receiver) {
        const isStep = name === 'updateTable' && network.calls.length > 0;
        if (isStep || (name === 'transaction' && network.calls.length > 0)) return inTransaction;
        const value: unknown = Reflect.get(target, name, receiver);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await expect(advanceChange({ ...dead, db }, { changeId })).rejects.toThrow('died');
    expect(await readChange(database.db, changeId)).toMatchObject({ phase_state: 'begun' });
    await database.db
      .updateTable('result_changes')
      .set({ heartbeat_at: null })
      .where('id', '=', changeId)
      .execute();
    const change = await changeToEnd(dependencies(), changeId);
    expect(change.status).toBe('succeeded');
    expect(network.lookUps.length).toBeGreaterThan(0);
    expect(network.calls).toEqual(calls);
    expect(await readStatus(resultId)).toBe('unpublished');
  });
});

describe('an edit', () => {
  test('changes the text at the network and in the result', async () => {
    const { post, resultId, request } = await publish();
    const change = await changeToEnd(dependencies(), await request('edit'));
    expect(change.status).toBe('succeeded');
    expect([...network.posts.values()]).toEqual(['edited']);
    const result = await readResult(database.db, resultId);
    expect(result).toMatchObject({ status: 'published', caption: 'edited', operation: null });
    expect(result.edited_at).not.toBeNull();
    const events = await listOutcomeEvents(database.db, post);
    expect(events.map(({ kind }) => kind)).toEqual(['post.published', 'post.edited']);
  });

  test('removes an option that is null, even if it was a default of the account', async () => {
    const { post, resultId } = await publish();
    await database.db
      .updateTable('post_results')
      .set({ default_options: JSON.stringify({ board_id: '1', board_section_id: '2' }) })
      .where('id', '=', resultId)
      .execute();
    const content = { platform_options: { board_id: '3', board_section_id: null } };
    const changeId = await requestChange(database.db, post, resultId, 'edit', content);
    const sent: unknown[] = [];
    const apply: Edit['apply'] = async ({ platformOptions }) => void sent.push(platformOptions);
    await changeToEnd(dependencies({ edit: { apply } }), changeId);
    expect(sent).toEqual([{ board_id: '3' }]);
  });

  test('whose answer is lost is looked up, and not made again', async () => {
    network.script = ['lose_answer'];
    const { request } = await publish();
    const change = await changeToEnd(dependencies(), await request('edit'));
    expect(change.status).toBe('succeeded');
    expect([network.calls, network.lookUps]).toEqual([['edit post-1'], ['isApplied post-1']]);
  });

  test.each(['made', 'lose_answer'] as const)(
    'changes who can see the post in the result: %s',
    async (behavior) => {
      if (behavior === 'lose_answer') network.script = [behavior];
      const { post, resultId } = await publish();
      const before = await readResult(database.db, resultId);
      expect(before.visibility).toBe('public');
      const options = { caption: 'edited', platform_options: { visibility: 'private' } };
      const id = await requestChange(database.db, post, resultId, 'edit', options);
      expect((await changeToEnd(dependencies(), id)).status).toBe('succeeded');
      expect((await readResult(database.db, resultId)).visibility).toBe('private');
      const text = await requestChange(database.db, post, resultId, 'edit', { caption: 'again' });
      expect((await changeToEnd(dependencies(), text)).status).toBe('succeeded');
      expect((await readResult(database.db, resultId)).visibility).toBe('private');
    },
  );

  test('that nobody can look up ends as unknown', async () => {
    network.script = ['lose_answer'];
    const { resultId, request } = await publish();
    const { apply } = network.platform.edit!;
    const change = await changeToEnd(dependencies({ edit: { apply } }), await request('edit'));
    expect(change.status).toBe('outcome_unknown');
    expect(network.calls).toHaveLength(1);
    expect(await readResult(database.db, resultId)).toMatchObject({ edited_at: null });
  });

  test.each(['lose_answer', 'cut'] as const)(
    'that can be repeated is repeated without a look-up: %s',
    async (behavior) => {
      network.script = [behavior];
      const { resultId, request } = await publish();
      const { apply } = network.platform.edit!;
      const repeatable = dependencies({ edit: { apply, isRepeatable: true } });
      const change = await changeToEnd(repeatable, await request('edit'));
      expect(change.status).toBe('succeeded');
      expect(network.calls).toEqual(['edit post-1', 'edit post-1']);
      expect(await readResult(database.db, resultId)).toMatchObject({ caption: 'edited' });
    },
  );

  test('is not repeated after a restore, because a later edit may have been lost', async () => {
    network.script = ['lose_answer'];
    network.onCall = () => insertRestore(database.db);
    const { request } = await publish();
    const { apply } = network.platform.edit!;
    const repeatable = dependencies({ edit: { apply, isRepeatable: true } });
    const change = await changeToEnd(repeatable, await request('edit'));
    await database.db.deleteFrom('restores').execute();
    expect([change.status, network.calls.length]).toEqual(['outcome_unknown', 1]);
  });

  test('of a post that is gone fails, and the target becomes unpublished', async () => {
    const { post, resultId, request } = await publish();
    network.posts.clear();
    const change = await changeToEnd(dependencies(), await request('edit'));
    expect(change).toMatchObject({ status: 'failed', error_code: 'post_gone' });
    expect(await readStatus(resultId)).toBe('unpublished');
    const events = await listOutcomeEvents(database.db, post);
    expect(events.map(({ kind }) => kind)).toEqual(['post.published', 'post.unpublished']);
  });

  test('is not sent after a restore, because a later edit may have been lost', async () => {
    const { request } = await publish();
    const changeId = await request('edit');
    await insertRestore(database.db);
    const change = await changeToEnd(dependencies(), changeId);
    await database.db.deleteFrom('restores').execute();
    expect(change.status).toBe('outcome_unknown');
    expect([network.calls, network.lookUps]).toEqual([[], ['isApplied post-1']]);
  });

  test('that was made before a restore is found', async () => {
    const { request } = await publish();
    const changeId = await request('edit');
    network.posts.set('post-1', 'edited');
    await insertRestore(database.db);
    const change = await changeToEnd(dependencies(), changeId);
    await database.db.deleteFrom('restores').execute();
    expect(change.status).toBe('succeeded');
    expect(network.calls).toEqual([]);
  });
});

describe('the login and the limits', () => {
  test('an expired token is refreshed, and the call is repeated', async () => {
    network.script = [new PlatformError('reauthorize', 'The token has expired.')];
    const { request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change.status).toBe('succeeded');
    expect(network.calls).toHaveLength(2);
  });

  test('a revoked token fails the change, and the account must be connected again', async () => {
    network.script = [new PlatformError('reauthorize', 'Revoked.', { isRevoked: true })];
    const { post, resultId, request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change).toMatchObject({ status: 'failed', error_code: 'token_revoked' });
    expect(await readStatus(resultId)).toBe('published');
    const account = await database.db
      .selectFrom('social_accounts')
      .select('status')
      .where('id', '=', post.accountId)
      .executeTakeFirstOrThrow();
    expect(account.status).toBe('reconnect_required');
  });

  test('a disconnected account fails the change without a call', async () => {
    const { post, resultId, request } = await publish();
    const changeId = await request('unpublish');
    await disconnect(database.db, post.accountId);
    const change = await changeToEnd(dependencies(), changeId);
    expect(change).toMatchObject({ status: 'failed', error_code: 'account_disconnected' });
    expect(network.calls).toEqual([]);
    expect(await readStatus(resultId)).toBe('published');
  });

  test('a rate limit delays the change, and the other calls of the account', async () => {
    network.script = [new PlatformError('rate_limited', 'Slow down.', { retryAfterMs: 600 })];
    const { post, request } = await publish();
    const changeId = await request('unpublish');
    expect(await advanceChange(dependencies(), { changeId })).toBeGreaterThan(0);
    const limits = await database.db
      .selectFrom('rate_limits')
      .select('key')
      .where('key', '=', accountLimitKey(post.accountId))
      .execute();
    expect(limits).toHaveLength(1);
    expect((await changeToEnd(dependencies(), changeId)).status).toBe('succeeded');
  });

  test('a limit that the network reported before holds the change', async () => {
    const { post, request } = await publish();
    await setBlocked(database.db, accountLimitKey(post.accountId), 5_000);
    const changeId = await request('unpublish');
    expect(await advanceChange(dependencies(), { changeId })).toBeGreaterThan(0);
    expect(network.calls).toEqual([]);
  });

  test.each(['network', 'project'] as const)('a pause of the %s holds the change', async (what) => {
    const { post, request } = await publish();
    const changeId = await request('unpublish');
    const scope = what === 'network' ? network.platform.definition.name : post.projectId;
    await insertPause(database.db, scope);
    expect(await advanceChange(dependencies(), { changeId })).toBeGreaterThanOrEqual(1_000);
    expect(network.calls).toEqual([]);
    await deletePause(database.db, scope);
    expect((await changeToEnd(dependencies(), changeId)).status).toBe('succeeded');
  });

  test.each(['unpublish', 'edit'] as const)(
    'a wait that ends after the time of the network fails the change without a call: %s',
    async (type) => {
      const { resultId, request } = await publish();
      const rules = { fields: ['caption'], withinS: 60, scopes: [], except: [] } as const;
      const afterPublishing = { unpublish: rules, edit: rules, byHand: '', sources };
      const definition = { ...network.platform.definition, afterPublishing };
      const changeId = await request(type);
      await database.db
        .updateTable('post_results')
        .set({ published_at: new Date(Date.now() - 61_000) })
        .where('id', '=', resultId)
        .execute();
      const change = await changeToEnd(dependencies({ definition }), changeId);
      expect(change).toMatchObject({ status: 'failed', error_code: 'too_late' });
      expect([network.calls, await readStatus(resultId)]).toEqual([[], 'published']);
    },
  );

  test('a network that stays unavailable fails the change', async () => {
    network.script = Array.from({ length: 10 }, unavailable);
    const { request } = await publish();
    const change = await changeToEnd(dependencies(), await request('unpublish'));
    expect(change).toMatchObject({ status: 'failed', error_code: 'unavailable' });
    expect(network.calls).toHaveLength(3);
  });
});

describe('replies', () => {
  beforeEach(() => expect(network.posts.size).toBe(0));

  test('the first comment is removed before its post', async () => {
    const { resultId, replyId, request } = await publish('commented');
    const first = await request('unpublish', resultId);
    const ofComment = await request('unpublish', replyId);
    expect(await advanceChange(dependencies(), { changeId: first })).toBeGreaterThan(0);
    expect(network.calls).toEqual([]);
    await changeToEnd(dependencies(), ofComment);
    await changeToEnd(dependencies(), first);
    expect(network.calls).toEqual(['remove post-2', 'remove post-1']);
    expect(await readStatus(resultId)).toBe('unpublished');
  });

  test('a comment that could not be removed keeps its post', async () => {
    network.script = [new PlatformError('rejected', 'Locked.')];
    const { resultId, replyId, request } = await publish('commented');
    const first = await request('unpublish', resultId);
    await changeToEnd(dependencies(), await request('unpublish', replyId));
    const change = await changeToEnd(dependencies(), first);
    expect(change).toMatchObject({ status: 'failed', error_code: 'has_replies' });
    expect(await readStatus(resultId)).toBe('published');
  });
});

test('a deletion that waits for the removal of its target does not wait for a step that was taken', async () => {
  const { post, resultId, replyId, request } = await publish('commented');
  await database.db
    .updateTable('post_results')
    .set({ kind: 'step', step: 'thumbnail', caption: '' })
    .where('id', '=', replyId)
    .execute();
  await database.db
    .updateTable('posts')
    .set({ is_removing: true })
    .where('id', '=', post.postId)
    .execute();
  const changeId = await request('unpublish', resultId);
  for (let i = 0; i < 20 && (await advanceChange(dependencies(), { changeId })) !== null; i++);
  expect(network.calls).toEqual(['remove post-1']);
  const left = await database.db
    .selectFrom('posts')
    .select('id')
    .where('id', '=', post.postId)
    .execute();
  expect(left).toEqual([]);
});
