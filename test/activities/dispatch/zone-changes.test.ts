// New zone data move scheduled posts, so that they keep their local time.
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { followZoneData, type ZoneData } from '../../../activities/dispatch/zone-changes.ts';
import { toInstant } from '../../../schema/wire/local-time.ts';
import { useRest } from '../../support/app/rest.ts';
import {
  changesOf,
  claimAs,
  eventsOf,
  inSeconds,
  runOf,
  useAuthor,
} from '../../support/rows/posts.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);

const hour = 3_600_000;
const day = 24 * hour;
const zone = 'America/Bogota';

/** A government sets the clocks of the zone back by an hour, so each local time comes an hour later. */
const dataOf = (version: string, shiftMs = hour): ZoneData => ({
  version,
  toInstant(given) {
    const { at, adjusted } = toInstant(given);
    return given.timezone === zone
      ? { at: new Date(at.getTime() + shiftMs), adjusted }
      : { at, adjusted };
  },
});

const follow = (data: ZoneData, isStopped = () => false) => {
  const { db, notifier, config } = rest.context;
  return followZoneData({ db, notifier, config, log: pino({ level: 'silent' }) }, isStopped, data);
};

/** What the clocks of Bogota show, 5 hours behind UTC. */
const clockAt = (at: number) => new Date(at - 5 * hour).toISOString().slice(0, 16);
const scheduleAt = (at: number, timezone = zone) => ({
  schedule: { local: clockAt(at), timezone },
});
const later = (at: string | null) => new Date(Date.parse(at!) + hour).toISOString();

const readState = async () =>
  (await sql<{ zone_data: string }>`select zone_data from sweeps`.execute(rest.context.db)).rows[0]!
    .zone_data;

beforeEach(async () => {
  const unknown = { zone_data: '', zones_compared_at: sql<Date>`'-infinity'` };
  await rest.context.db.updateTable('sweeps').set(unknown).execute();
});

describe('new zone data', () => {
  test('move a scheduled post by a new run, as its client could', async () => {
    const post = await author.create(scheduleAt(Date.now() + 3 * day));
    const old = await runOf(rest, post.id);
    await follow(dataOf('2027a'));
    const moved = await author.read(post.id);
    expect(moved).toMatchObject({
      status: 'scheduled',
      scheduled_at: later(post.scheduled_at),
      schedule: post.schedule,
    });
    expect(moved.revision).toBeGreaterThan(post.revision);
    const { current_run, workflow_id } = await runOf(rest, post.id);
    expect(current_run).toBe(old.current_run + 1);
    const asked = await rest.context.db
      .selectFrom('outbox')
      .select('start_at')
      .where('workflow_id', '=', workflow_id!)
      .executeTakeFirstOrThrow();
    expect(asked.start_at?.toISOString()).toBe(moved.scheduled_at);
    expect(await claimAs(rest.context, post.id, old.current_run, old.workflow_id!)).toBe(false);
    expect(await changesOf(rest, post.id)).toEqual(['created', 'rescheduled']);
    expect((await eventsOf(rest, post.id)).map(({ data }) => data.scheduled_at)).toEqual([
      post.scheduled_at,
      moved.scheduled_at,
    ]);
    const { actor } = await rest.context.db
      .selectFrom('changes')
      .select('actor')
      .where('subject_id', '=', post.id)
      .where('kind', '=', 'rescheduled')
      .executeTakeFirstOrThrow();
    // Fanfare itself.
    expect(actor).toBeNull();
  });

  test.each<[string, () => Promise<string>]>([
    [
      'a post that is due within 24 hours',
      async () => (await author.create(scheduleAt(Date.now() + day - hour))).id,
    ],
    [
      'a post in another zone',
      async () => (await author.create(scheduleAt(Date.now() + 3 * day, 'America/Lima'))).id,
    ],
    [
      'a time with an offset',
      async () => (await author.create({ scheduled_at: inSeconds(3 * 86_400) })).id,
    ],
    [
      'a draft',
      async () =>
        (await author.create({ ...scheduleAt(Date.now() + 3 * day), status: 'draft' })).id,
    ],
    [
      'a canceled post',
      async () => {
        const { id } = await author.create(scheduleAt(Date.now() + 3 * day));
        await author.ask(id, 'cancel');
        return id;
      },
    ],
    [
      'a post that would be due after its deadline',
      async () => {
        const at = Date.now() + 3 * day;
        const publish_by = new Date(at + hour / 2).toISOString();
        return (await author.create({ ...scheduleAt(at), publish_by })).id;
      },
    ],
  ])('leave %s', async (_, create) => {
    const before = await author.read(await create());
    await follow(dataOf('2027a'));
    expect(await author.read(before.id)).toEqual(before);
    expect(await readState()).toBe('2027a');
  });

  test('take usage along into another month', async () => {
    const now = new Date();
    // Half an hour before the third month from now begins.
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 3) - hour / 2;
    await author.create(scheduleAt(end));
    const usage = async () =>
      (
        await rest.context.db
          .selectFrom('account_usage')
          .select(['month', 'published'])
          .where('social_account_id', '=', author.accounts[0])
          .orderBy('month')
          .execute()
      ).filter(({ published }) => published > 0);
    const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7);
    expect(await usage()).toEqual([{ month: monthOf(end), published: 1 }]);
    await follow(dataOf('2027a'));
    expect(await usage()).toEqual([{ month: monthOf(end + hour), published: 1 }]);
  });

  test('leave posts whose zone they lack, and move the others', async () => {
    const lost = await author.create(scheduleAt(Date.now() + 3 * day, 'America/Lima'));
    const other = await author.create(scheduleAt(Date.now() + 4 * day));
    const data = dataOf('2027a');
    await follow({
      ...data,
      toInstant(given) {
        if (given.timezone === 'America/Lima') throw new RangeError('Unknown zone.');
        return data.toInstant(given);
      },
    });
    expect(await author.read(lost.id)).toEqual(lost);
    expect((await author.read(other.id)).scheduled_at).toBe(later(other.scheduled_at));
  });

  test('move every post of many, in steps, and each once', async () => {
    const at = Date.now() + 3 * day;
    const posts = Array.from({ length: 50 }, (_, i) => ({
      caption: `Post ${i}`,
      account_ids: [author.accounts[0]],
      ...scheduleAt(at + (i % 7) * 60_000),
    }));
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { body } = await rest.call('POST', '/v1/posts/bulk', {
        key: author.key,
        body: { posts },
      });
      ids.push(...body.data.map(({ post }: { post: { id: string } }) => post.id));
    }
    await follow(dataOf('2027a'));
    expect(await readState()).toBe('');
    await follow(dataOf('2027a'));
    expect(await readState()).toBe('2027a');
    const runs = await Promise.all(ids.map((id) => runOf(rest, id)));
    expect(runs.filter(({ current_run }) => current_run === 2)).toHaveLength(250);
  });
});

describe('the comparison', () => {
  const create = () => author.create(scheduleAt(Date.now() + 3 * day));
  const isMoved = async ({ id, scheduled_at }: Awaited<ReturnType<typeof create>>) =>
    (await author.read(id)).scheduled_at !== scheduled_at;

  test('is made again for newer data or a day later, and never with older data', async () => {
    await follow(dataOf('2027a'));
    const post = await create();
    await follow(dataOf('2027a'));
    await follow(dataOf('2026c'));
    expect(await isMoved(post)).toBe(false);
    await follow(dataOf('2027b'));
    expect(await isMoved(post)).toBe(true);
    const next = await create();
    await follow(dataOf('2027b'));
    expect(await isMoved(next)).toBe(false);
    const yesterday = sql<Date>`now() - interval '25 hours'`;
    await rest.context.db.updateTable('sweeps').set({ zones_compared_at: yesterday }).execute();
    await follow(dataOf('2026c'));
    expect(await isMoved(next)).toBe(false);
    await follow(dataOf('2027b'));
    expect(await isMoved(next)).toBe(true);
  });

  test('begins again if it was stopped', async () => {
    const post = await create();
    await follow(dataOf('2027a'), () => true);
    expect([await isMoved(post), await readState()]).toEqual([false, '']);
    await follow(dataOf('2027a'));
    expect(await isMoved(post)).toBe(true);
  });

  test('by two processes at once moves a post once', async () => {
    const post = await create();
    await Promise.all([follow(dataOf('2027a')), follow(dataOf('2027a'))]);
    expect((await runOf(rest, post.id)).current_run).toBe(2);
    expect(await changesOf(rest, post.id)).toEqual(['created', 'rescheduled']);
  });
});
