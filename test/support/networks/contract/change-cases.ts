// Edits and removals of published posts at a network, on the engine with its database.
import { describe, expect, test } from 'vitest';
import { afterPublishingOf } from '../../../../activities/platforms/index.ts';
import type { ChangeType } from '../../../../schema/posts/result-changes.ts';
import {
  changeDependencies,
  changeToEnd,
  publishPost,
  readResult,
  requestChange,
} from '../../changes/run-change.ts';
import { useDatabase } from '../../rows/database.ts';
import { faults, type Fault } from '../faults.ts';
import { impatientClock, shortClock } from '../posting.ts';
import { toKind } from './kind.ts';
import type { NetworkSubject } from './subject.ts';

const silent: readonly Fault[] = ['cut_before', 'hang_before', 'refused', 'error_before'];
const lost: readonly Fault[] = ['answer_lost', 'hang_after', 'error_after', 'garbage'];
const refused: readonly Fault[] = ['limited', 'unavailable', 'rejected', 'token_revoked'];
const caption = 'An edited text';

/** What goes wrong with the calls of a change. */
interface Trouble {
  fault?: Fault;
  stage?: 'change' | 'look_up';
  isLasting?: boolean;
  /** The post is gone before the change. */
  isGone?: boolean;
}

function useChanges(subject: NetworkSubject) {
  const database = useDatabase();
  const kind = toKind(subject);

  /** Undefined: the network has no call for such a change of this account's posts. */
  return async function change(
    type: ChangeType,
    { fault, stage = 'change', isLasting = false, isGone = false }: Trouble = {},
  ) {
    await using network = await kind.start(database.db);
    const { platform, connection, switchboard } = network;
    const rules = afterPublishingOf(platform, connection.traits ?? {})?.[type];
    const offered = type === 'edit' ? platform.edit : platform.unpublish;
    const isAllowed = rules?.scopes.every((scope) => connection.scope.includes(scope));
    if (!rules || !isAllowed) return undefined;
    expect(offered).toBeDefined();
    const options = {};
    const mediaCount = network.media?.length ?? 0;
    if (rules.refuse?.({ mediaCount, options, isReply: false }) !== undefined) return undefined;
    const post = await publishPost(database.db, network);
    const [resultId] = post.resultIds as [string];
    const { external_id: id } = await readResult(database.db, resultId);
    if (id === null) return undefined;
    const clock = isLasting ? impatientClock : shortClock;
    const dependencies = changeDependencies(database.db, network, clock);
    const content = type === 'edit' ? { caption } : null;
    if (isGone) {
      const first = await requestChange(database.db, post, resultId, 'unpublish');
      await changeToEnd(dependencies, first);
      expect((await network.listPosts()).map((each) => each.id)).not.toContain(id);
      // As if the record didn't know that the post is gone.
      await database.db
        .updateTable('post_results')
        .set({ status: 'published', unpublished_at: null })
        .where('id', '=', resultId)
        .execute();
    }
    const calls = switchboard.count('change');
    const times = isLasting ? Infinity : 1;
    if (stage === 'look_up') {
      const fault = 'answer_lost';
      switchboard.plans.push({ stage: 'change', call: calls + 1, times: 1, fault });
    }
    const call = switchboard.count(stage) + 1;
    if (fault) switchboard.plans.push({ stage, call, times, fault });
    const changeId = await requestChange(database.db, post, resultId, type, content);
    const end = await changeToEnd(dependencies, changeId);
    const { status } = await readResult(database.db, resultId);
    const left = (await network.listPosts()).find((each) => each.id === id);
    // Never reported as removed while it is public.
    if (status === 'unpublished') expect(left).toBeUndefined();
    if (type === 'edit' && end.status === 'succeeded') expect(left?.text).toBe(caption);
    if (end.status === 'failed' && left) expect(left.text).not.toBe(caption);
    const { isApplied, isRepeatable } = platform.edit ?? {};
    const canTell = isApplied !== undefined || isRepeatable === true;
    return { end, status, left, canTell, calls: switchboard.count('change') - calls };
  };
}

export function describeChangeCases(subject: NetworkSubject): void {
  const change = useChanges(subject);

  describe('after the publication', () => {
    test.each(['unpublish', 'edit'] as const)('makes the change: %s', async (type) => {
      const made = await change(type);
      if (!made) return;
      expect(made.end, made.end.error_message ?? '').toMatchObject({ status: 'succeeded' });
      expect(made.status).toBe(type === 'edit' ? 'published' : 'unpublished');
    });

    test.each(lost)(
      'finds out whether a removal was made whose answer is lost: %s',
      async (fault) => {
        const made = await change('unpublish', { fault });
        if (!made) return;
        expect(made.left).toBeUndefined();
        expect(made.end.status).not.toBe('failed');
      },
    );

    test.each(lost)(
      'finds out whether an edit was made whose answer is lost: %s',
      async (fault) => {
        const made = await change('edit', { fault });
        if (!made) return;
        expect(made.left?.text).toBe(caption);
        if (made.canTell) expect(made.end.status).toBe('succeeded');
        else expect(made.end.status).not.toBe('failed');
      },
    );

    test.each(silent)('repeats a removal that did not arrive: %s', async (fault) => {
      const made = await change('unpublish', { fault });
      if (!made) return;
      expect([made.end.status, made.left]).toEqual(['succeeded', undefined]);
    });

    test.each(refused)('does not report a refused removal as made: %s', async (fault) => {
      const made = await change('unpublish', { fault });
      if (!made) return;
      const isForGood = fault === 'rejected' || fault === 'token_revoked';
      if (isForGood) expect([made.end.status, made.status]).toEqual(['failed', 'published']);
      else expect(made.end.status === 'succeeded').toBe(made.left === undefined);
    });

    test('sees that the post is gone, or says that it can not tell', async () => {
      const made = await change('unpublish', { isGone: true });
      if (!made) return;
      const ends = subject.cannotTellGone ? ['failed', 'outcome_unknown'] : ['succeeded'];
      expect(ends).toContain(made.end.status);
    });
  });
}

/** Every fault in the call of a change and in its look-up: `useChanges` checks that nothing false is reported. */
export function describeChangeFaults(subject: NetworkSubject): void {
  const change = useChanges(subject);
  const troubles = faults
    .filter((fault) => fault !== 'token_expired')
    .flatMap((fault) =>
      (['change', 'look_up'] as const).flatMap((stage) =>
        [false, true].map((isLasting) => ({ fault, stage, isLasting })),
      ),
    );

  describe.each(['unpublish', 'edit'] as const)('%s', (type) => {
    test.each(troubles)(
      'reports nothing false: $stage, $fault, lasting: $isLasting',
      async (trouble) => {
        const made = await change(type, trouble);
        if (made) expect(made.end.ended_at).not.toBeNull();
      },
    );
  });
}
