// Wall-clock times: their form, their zone, and the instants that they mean.
import { describe, expect, test } from 'vitest';
import { check } from '../../api/http/validation.ts';
import {
  GivenLocalTime,
  GivenTimezone,
  toInstant,
  toLocalTime,
} from '../../schema/wire/local-time.ts';

const asInstant = (local: string, timezone: string) => {
  const { at, adjusted } = toInstant({ local, timezone });
  return [at.toISOString(), adjusted];
};

describe('toInstant', () => {
  test('reads the clock of the zone', () => {
    expect(asInstant('2026-12-01T09:00', 'Europe/Berlin')).toEqual([
      '2026-12-01T08:00:00.000Z',
      'none',
    ]);
    expect(asInstant('2026-07-01T09:00:30', 'America/New_York')).toEqual([
      '2026-07-01T13:00:30.000Z',
      'none',
    ]);
    expect(asInstant('2026-12-01T09:00', 'UTC')).toEqual(['2026-12-01T09:00:00.000Z', 'none']);
  });

  test('moves a skipped time forward by the skipped time', () => {
    expect(asInstant('2026-03-29T02:30', 'Europe/Berlin')).toEqual([
      '2026-03-29T01:30:00.000Z',
      'gap',
    ]);
    expect(toLocalTime(new Date('2026-03-29T01:30:00Z'), 'Europe/Berlin')).toBe('2026-03-29T03:30');
    // Half an hour is skipped there.
    expect(asInstant('2026-10-04T02:10', 'Australia/Lord_Howe')).toEqual([
      '2026-10-03T15:40:00.000Z',
      'gap',
    ]);
    // A whole day was skipped there.
    expect(asInstant('2011-12-30T09:00', 'Pacific/Apia')).toEqual([
      '2011-12-30T19:00:00.000Z',
      'gap',
    ]);
  });

  test('takes the first of a time that comes twice', () => {
    expect(asInstant('2026-10-25T02:30', 'Europe/Berlin')).toEqual([
      '2026-10-25T00:30:00.000Z',
      'fold',
    ]);
    expect(asInstant('2026-04-05T01:45', 'Australia/Lord_Howe')).toEqual([
      '2026-04-04T14:45:00.000Z',
      'fold',
    ]);
  });

  test('agrees with the edges of a change', () => {
    expect(asInstant('2026-03-29T01:59:59', 'Europe/Berlin')[1]).toBe('none');
    expect(asInstant('2026-03-29T02:00', 'Europe/Berlin')[1]).toBe('gap');
    expect(asInstant('2026-03-29T03:00', 'Europe/Berlin')[1]).toBe('none');
    expect(asInstant('2026-10-25T01:59:59', 'Europe/Berlin')[1]).toBe('none');
    expect(asInstant('2026-10-25T02:00', 'Europe/Berlin')[1]).toBe('fold');
    expect(asInstant('2026-10-25T03:00', 'Europe/Berlin')[1]).toBe('none');
  });

  test.each([
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'UTC',
  ])('shows its wall-clock time or says why not, for two years in %s', (timezone) => {
    const counts = { none: 0, gap: 0, fold: 0 };
    for (let day = 0; day < 2 * 365; day += 1) {
      const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
      for (const time of ['01:45', '02:15', '09:00']) {
        const local = `${date}T${time}`;
        const { at, adjusted } = toInstant({ local, timezone });
        const shown = toLocalTime(at, timezone);
        if (adjusted === 'gap') expect(shown > local).toBe(true);
        else expect(shown).toBe(local);
        counts[adjusted] += 1;
      }
    }
    // Each clock that changes skips one of these times, and repeats one.
    const changes = timezone !== 'UTC';
    expect([counts.gap > 0, counts.fold > 0]).toEqual([changes, changes]);
  });
});

describe('toLocalTime', () => {
  test('names seconds only where there are some', () => {
    expect(toLocalTime(new Date('2026-12-01T08:00:00Z'), 'Europe/Berlin')).toBe('2026-12-01T09:00');
    expect(toLocalTime(new Date('2026-12-01T08:00:05Z'), 'UTC')).toBe('2026-12-01T08:00:05');
  });
});

describe('GivenTimezone', () => {
  test('takes the names of IANA in any case, aliases included', () => {
    expect(check(GivenTimezone, 'europe/berlin').data).toBe('Europe/Berlin');
    expect(check(GivenTimezone, 'america/port-au-prince').data).toBe('America/Port-au-Prince');
    expect(check(GivenTimezone, 'Asia/Kolkata').data).toBe('Asia/Kolkata');
    expect(check(GivenTimezone, 'Asia/Calcutta').data).toBe('Asia/Calcutta');
    expect(check(GivenTimezone, 'UTC').data).toBe('UTC');
  });

  test.each([
    'Europe/Nowhere',
    '',
    '+02:00',
    '-05',
    'UTC+2',
    'PST',
    'SystemV/PST8PDT',
    'Europe/Berlin\n',
  ])('refuses %j', (name) => {
    expect(check(GivenTimezone, name).issues).toEqual([
      {
        path: [],
        code: 'invalid_timezone',
        message: 'must be a time zone as IANA names it, such as Europe/Berlin',
      },
    ]);
  });

  test('refuses a long name by its length', () => {
    const { issues } = check(GivenTimezone, 'x'.repeat(1_000_000));
    expect(issues).toMatchObject([{ code: 'too_big', limit: 64 }]);
  });
});

describe('GivenLocalTime', () => {
  test('leaves out seconds of zero', () => {
    expect(check(GivenLocalTime, '2026-12-01T09:00').data).toBe('2026-12-01T09:00');
    expect(check(GivenLocalTime, '2026-12-01T09:00:00').data).toBe('2026-12-01T09:00');
    expect(check(GivenLocalTime, '2026-12-01T09:00:30').data).toBe('2026-12-01T09:00:30');
  });

  test.each([
    '2026-12-01T09:00Z',
    '2026-12-01T09:00+01:00',
    '2026-12-01 09:00',
    '2026-12-01',
    '2026-12-01T09:00:60',
    '2026-12-01T09:00:00.5',
    '',
  ])('refuses %j', (text) => {
    expect(check(GivenLocalTime, text).issues).toEqual([
      {
        path: [],
        code: 'invalid_format',
        message: 'must be a local time without an offset, such as 2026-12-01T09:00',
      },
    ]);
  });

  test.each(['2026-02-30T09:00', '2026-13-01T09:00', '2026-12-01T24:00', '2026-12-01T09:60'])(
    'refuses %j, which no clock shows',
    (text) => {
      const issue = { path: [], code: 'invalid', message: 'is not on the calendar' };
      expect(check(GivenLocalTime, text).issues).toEqual([issue]);
    },
  );
});
