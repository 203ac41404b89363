// Times of a post as a clock in a time zone shows them.
import { describe, expect, test } from 'vitest';
import { toInstant, toLocalTime } from '../../../../schema/wire/local-time.ts';
import { useRest, type TestAnswer } from '../../../support/app/rest.ts';
import {
  changesOf,
  claimAs,
  eventsOf,
  runOf,
  inSeconds,
  useAuthor,
} from '../../../support/rows/posts.ts';

const rest = useRest({ FANFARE_PREVIEW_EVENTS: 'true' });
const author = useAuthor(rest);

const day = 86_400_000;
const berlin = 'Europe/Berlin';
const inDays = (days: number, time = '09:00', timezone = berlin) => {
  const date = new Date(Date.now() + days * day).toISOString().slice(0, 10);
  return { local: `${date}T${time}`, timezone };
};
const instantOf = (given: { local: string; timezone: string }) => toInstant(given).at.toISOString();

/** The next gap and the next fold of Berlin: 02:30 on the days when its clocks change. */
function findChange(adjusted: 'gap' | 'fold') {
  for (let days = 2; ; days++) {
    const given = inDays(days, '02:30');
    if (toInstant(given).adjusted === adjusted) return given;
  }
}

const post = (body: object) =>
  rest.call('POST', '/v1/posts', {
    key: author.key,
    body: { caption: 'hello', account_ids: [author.accounts[0]], ...body },
  });
const issuesOf = ({ body }: TestAnswer) =>
  body.error.issues.map(({ path, code }: { path: string; code: string }) => [path, code]);

describe('a post with a schedule', () => {
  test('is published at that time in its zone, which the answer has beside the instant', async () => {
    const schedule = inDays(30);
    const { status, body } = await post({ schedule: { ...schedule, timezone: 'europe/berlin' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      data: {
        status: 'scheduled',
        scheduled_at: instantOf(schedule),
        schedule: { ...schedule, adjusted: 'none' },
      },
      warnings: [],
    });
    expect(await author.read(body.data.id)).toEqual(body.data);
    const { workflow_id } = await runOf(rest, body.data.id);
    const row = await rest.context.db
      .selectFrom('outbox')
      .select('start_at')
      .where('workflow_id', '=', workflow_id!)
      .executeTakeFirstOrThrow();
    expect(row.start_at?.toISOString()).toBe(instantOf(schedule));
    expect(await eventsOf(rest, body.data.id)).toMatchObject([{ kind: 'post.scheduled' }]);
  });

  test('has none if the time was given with an offset', async () => {
    const { body } = await post({ scheduled_at: inSeconds(3_600) });
    expect(body.data.schedule).toBeNull();
    expect((await post({})).body.data.schedule).toBeNull();
  });

  test.each(['gap', 'fold'] as const)('reports a time in the %s', async (adjusted) => {
    const schedule = findChange(adjusted);
    const { body } = await post({ schedule });
    const at = instantOf(schedule);
    expect(body).toMatchObject({
      data: { scheduled_at: at, schedule: { ...schedule, adjusted } },
      warnings: [
        {
          path: 'schedule.local',
          code: 'time_adjusted',
          severity: 'warning',
          actual: schedule.local,
          platform_post_index: null,
        },
      ],
    });
    const shown = toLocalTime(new Date(at), berlin);
    expect(shown.slice(11)).toBe(adjusted === 'gap' ? '03:30' : '02:30');
    expect(body.warnings[0].message).toContain(adjusted === 'gap' ? shown : 'the first one counts');
    const validated = await rest.call('POST', '/v1/posts/validate', {
      key: author.key,
      body: { caption: 'a', account_ids: [author.accounts[0]], schedule },
    });
    expect(validated.body.data).toMatchObject({
      valid: true,
      errors: [],
      warnings: [{ path: 'schedule.local', code: 'time_adjusted' }],
    });
  });

  test.each<[string, () => object, [string, string][]]>([
    [
      'beside scheduled_at',
      () => ({ schedule: inDays(3), scheduled_at: inSeconds(3_600) }),
      [['schedule', 'both_time_forms']],
    ],
    [
      'in a zone that does not exist',
      () => ({ schedule: inDays(3, '09:00', 'Europe/Nowhere') }),
      [['schedule.timezone', 'invalid_timezone']],
    ],
    [
      'with an offset',
      () => ({ schedule: { local: `${inDays(3).local}Z`, timezone: berlin } }),
      [['schedule.local', 'invalid_format']],
    ],
    [
      'without a zone',
      () => ({ schedule: { local: inDays(3).local } }),
      [['schedule.timezone', 'required']],
    ],
    [
      'that is not on the calendar',
      () => ({ schedule: { local: '2027-02-30T09:00', timezone: berlin } }),
      [['schedule.local', 'invalid']],
    ],
    ['in the past', () => ({ schedule: inDays(-2) }), [['schedule.local', 'too_soon']]],
    ['too far ahead', () => ({ schedule: inDays(368) }), [['schedule.local', 'too_far']]],
    [
      'after its deadline',
      () => ({ schedule: inDays(3), publish_by: inSeconds(3_600) }),
      [['publish_by', 'too_soon']],
    ],
  ])('is refused %s', async (_, body, issues) => {
    const answer = await post(body());
    expect([answer.status, issuesOf(answer)]).toEqual([422, issues]);
  });

  test('is refused with the path of its place in a bulk request', async () => {
    const posts = [{ schedule: inDays(3, '09:00', 'UTC') }, { schedule: inDays(-2) }].map(
      (body) => ({
        caption: 'a',
        account_ids: [author.accounts[0]],
        ...body,
      }),
    );
    const { body } = await rest.call('POST', '/v1/posts/bulk', {
      key: author.key,
      body: { posts },
    });
    expect(body.data).toMatchObject([
      { status: 201, post: { schedule: { ...posts[0]!.schedule, adjusted: 'none' } } },
      { status: 422, error: { issues: [{ path: 'posts[1].schedule.local', code: 'too_soon' }] } },
    ]);
  });

  test('of a test key goes to the sandbox, and a key without the scope gets none', async () => {
    const { projectId } = author;
    const sandboxed = await rest.insertAccount(projectId, { platform: 'sandbox' });
    const body = { caption: 'a', account_ids: [sandboxed], schedule: inDays(3) };
    const call = (key: string) => rest.call('POST', '/v1/posts', { key, body });
    const tester = await rest.createTenant({ projectId, environment: 'test' });
    expect((await call(tester.key)).body.data.schedule).toMatchObject(inDays(3));
    const reader = await rest.createTenant({ projectId, scopes: ['posts:read'] });
    expect((await call(reader.key)).body.error.code).toBe('insufficient_scope');
  });
});

describe('PATCH with a schedule', () => {
  test('schedules a draft and reschedules it, and a change of the content keeps it', async () => {
    const { id } = await author.create({ status: 'draft' });
    const first = inDays(10);
    const scheduled = await author.change(id, { schedule: first });
    expect(scheduled).toMatchObject({
      status: 200,
      body: { data: { status: 'scheduled', schedule: { ...first, adjusted: 'none' } } },
    });
    const old = await runOf(rest, id);
    const second = findChange('gap');
    const moved = await author.change(id, { schedule: second });
    expect(moved.body).toMatchObject({
      data: { scheduled_at: instantOf(second), schedule: { ...second, adjusted: 'gap' } },
      warnings: [{ path: 'schedule.local', code: 'time_adjusted' }],
    });
    expect(await claimAs(rest.context, id, old.current_run, old.workflow_id!)).toBe(false);
    const { body } = await author.change(id, { caption: 'changed' });
    expect(body.data.schedule).toEqual(moved.body.data.schedule);
    expect(await changesOf(rest, id)).toEqual(['created', 'scheduled', 'rescheduled', 'updated']);
  });

  test('is replaced by scheduled_at, even for the same instant', async () => {
    const created = (await post({ schedule: inDays(10) })).body.data;
    const { body } = await author.change(created.id, { scheduled_at: created.scheduled_at });
    expect(body.data).toMatchObject({ scheduled_at: created.scheduled_at, schedule: null });
    expect(body.data.revision).toBeGreaterThan(created.revision);
  });

  test.each([
    ['null', { schedule: null }, null],
    ['null of scheduled_at', { scheduled_at: null }, null],
    ['status draft, which keeps the time', { status: 'draft' }, inDays(10)],
  ])('makes a post a draft: %s', async (_, changes, kept) => {
    const { id, scheduled_at } = (await post({ schedule: inDays(10) })).body.data;
    const { body } = await author.change(id, changes);
    expect(body.data).toMatchObject({
      status: 'draft',
      scheduled_at: kept && scheduled_at,
      schedule: kept && { ...kept, adjusted: 'none' },
    });
  });

  test('keeps a draft a draft if that is requested', async () => {
    const { id } = await author.create({ status: 'draft', schedule: inDays(3) });
    expect(await author.read(id)).toMatchObject({ status: 'draft', schedule: inDays(3) });
    const later = inDays(4);
    const { body } = await author.change(id, { schedule: later, status: 'draft' });
    expect(body.data).toMatchObject({ status: 'draft', schedule: later });
    const published = await author.ask(id, 'publish');
    expect(published.body.data).toMatchObject({ status: 'pending', schedule: null });
  });

  test.each<[string, () => object, [string, string][]]>([
    [
      'beside scheduled_at',
      () => ({ schedule: inDays(3), scheduled_at: inSeconds(3_600) }),
      [['schedule', 'both_time_forms']],
    ],
    [
      'beside a null of scheduled_at',
      () => ({ schedule: inDays(3), scheduled_at: null }),
      [['schedule', 'both_time_forms']],
    ],
    ['in the past', () => ({ schedule: inDays(-2) }), [['schedule.local', 'too_soon']]],
    [
      'in a zone that does not exist',
      () => ({ schedule: inDays(3, '09:00', 'Mars/Olympus') }),
      [['schedule.timezone', 'invalid_timezone']],
    ],
  ])('is refused %s', async (_, changes, issues) => {
    const { id } = await author.create({ status: 'draft' });
    const answer = await author.change(id, { ...changes() });
    expect([answer.status, issuesOf(answer)]).toEqual([422, issues]);
    expect(await author.read(id)).toMatchObject({ status: 'draft', scheduled_at: null });
  });

  test('is refused after the deadline that the post has', async () => {
    const { id } = await author.create({ status: 'draft', publish_by: inSeconds(3_600) });
    const answer = await author.change(id, { schedule: inDays(3) });
    expect([answer.status, issuesOf(answer)]).toEqual([422, [['schedule.local', 'too_far']]]);
  });
});

const year = Array.from({ length: 363 }, (_, i) => i + 2);

/** Hours by which the clocks of the zone are set forward on that day. */
function shiftOf(timezone: string, days: number): number {
  const [before, after] = [days - 1, days].map((at) => {
    const noon = new Date(`${inDays(at).local.slice(0, 10)}T12:00Z`);
    return Date.parse(`${toLocalTime(noon, timezone)}Z`) - noon.getTime();
  });
  return after! - before!;
}

describe('a local time, for as long as posts can be scheduled,', () => {
  test.each([berlin, 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC'])(
    'is its wall-clock time or reported as adjusted in %s',
    async (timezone) => {
      const found = { none: 0, gap: 0, fold: 0 };
      // Clocks change between 1:00 and 3:00 in all of these zones.
      const times = ['01:15', '01:45', '02:15', '02:45', '12:00'];
      const shifts = year.filter((days) => shiftOf(timezone, days) !== 0);
      // Two days a month, and each day on which clocks change, with the days around it.
      const posts = year
        .filter((days) => days % 15 === 0 || shifts.some((at) => Math.abs(at - days) <= 1))
        .flatMap((days) => times.map((time) => inDays(days, time, timezone)))
        .map((schedule) => ({ status: 'draft', schedule }));
      for (let from = 0; from < posts.length; from += 50) {
        const body = { posts: posts.slice(from, from + 50) };
        const answer = await rest.call('POST', '/v1/posts/bulk', { key: author.key, body });
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        for (const [i, { post: created, warnings }] of answer.body.data.entries()) {
          const given = body.posts[i]!.schedule;
          const { scheduled_at, schedule } = created;
          const shown = toLocalTime(new Date(scheduled_at), timezone);
          const { adjusted } = schedule as { adjusted: keyof typeof found };
          found[adjusted]++;
          expect(schedule).toMatchObject(given);
          if (adjusted === 'gap') expect(shown > given.local).toBe(true);
          else expect(shown).toBe(given.local);
          const codes = warnings.map(({ code }: { code: string }) => code);
          expect(codes.includes('time_adjusted')).toBe(adjusted !== 'none');
        }
      }
      const sets = (isForward: boolean) =>
        shifts.some((days) => shiftOf(timezone, days) > 0 === isForward);
      expect([found.gap > 0, found.fold > 0]).toEqual([sets(true), sets(false)]);
    },
  );
});
