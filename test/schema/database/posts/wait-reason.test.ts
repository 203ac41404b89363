// Why an open target waits: the API, which reads the row, and the queries for operators say the same.
import { expect, test } from 'vitest';
import {
  countWaitingTargets,
  listLateTargets,
} from '../../../../schema/database/dispatch/late-targets.ts';
import {
  findWaitReason,
  reasonOfRow,
  type OpenReason,
} from '../../../../schema/database/posts/wait-reason.ts';
import type { ClockState, PostResultRow } from '../../../../schema/database/tables.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { addAccount, addTargets } from '../../../support/rows/targets.ts';

const database = useDatabase();

const next = new Date(Date.now() + 60_000);
const waits = (clock: ClockState, phase: PostResultRow['phase'] = 'commit') => ({
  next_attempt_at: next,
  clock: JSON.stringify(clock),
  phase,
});
const slotAt = (ms: number) => waits({ slotAtMs: next.getTime() + ms });

const cases: [OpenReason, string, object][] = [
  ['start', 'no call yet', { is_paused: false }],
  ['call', 'a call in progress', { ...waits({}), phase_state: 'begun' }],
  ['pause', 'a pause', { is_paused: true }],
  ['media', 'a fetch of media', waits({ mediaDelayMs: 1 }, 'prepare')],
  ['app_credits', 'credits', waits({ rateLimitedSinceMs: 1, isOutOfCredits: true })],
  ['rate_limit', 'a limit of the network', waits({ rateLimitedSinceMs: 1 })],
  ['quota', 'the quota of the account', waits({ quotaSinceMs: 1 })],
  ['rate_limit', 'a limit after a quota', waits({ quotaSinceMs: 1, rateLimitedSinceMs: 1 })],
  ['network', 'a retry while a quota is used up', waits({ quotaSinceMs: 1, unavailable: 1 })],
  ['rate_limit', 'a reserved slot', slotAt(-400)],
  ['network', 'a retry after an earlier slot', slotAt(-600)],
  ['preparation', 'a step of the prepare', waits({ prepareSinceMs: 1 }, 'prepare')],
  ['network', 'a retry of the prepare', waits({ prepareSinceMs: 1, unavailable: 1 }, 'prepare')],
  ['confirmation', 'a confirm', waits({}, 'confirm')],
  ['lost_answer', 'a check', waits({}, 'reconcile')],
];

/** The reason in the API, or null where it shows none. */
const shown = (reason: OpenReason) => (reason === 'start' || reason === 'call' ? null : reason);

test.each(cases)('%s: %s', async (reason, _, changes) => {
  const { db } = database;
  const { postId } = await addTargets(db, await addAccount(db));
  const row = await db
    .updateTable('post_results')
    .set(changes)
    .where('post_id', '=', postId)
    .returningAll()
    .executeTakeFirstOrThrow();
  expect(reasonOfRow(row, false)).toBe(reason);
  expect(findWaitReason(row, [row])).toBe(shown(reason));
  expect(await listLateTargets(db, [postId])).toMatchObject([{ id: row.id, reason }]);
  expect(await countWaitingTargets(db)).toContainEqual(expect.objectContaining({ reason }));
});

test('answered_post: a reply to a target that is still open', async () => {
  const { db } = database;
  const { postId } = await addTargets(db, await addAccount(db), [{}, { answers: 0 }]);
  const rows = await db
    .selectFrom('post_results')
    .selectAll()
    .where('post_id', '=', postId)
    .orderBy('position')
    .execute();
  expect(rows.map((row) => findWaitReason(row, rows))).toEqual([null, 'answered_post']);
  const late = await listLateTargets(db, [postId]);
  expect(late.map(({ reason }) => reason)).toEqual(['start', 'answered_post']);
});
