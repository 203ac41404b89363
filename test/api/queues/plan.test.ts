// The times of weekly slots: in order, each once, also where clocks change.
import { describe, expect, test } from 'vitest';
import { openSlots, slotsBetween, type Plan } from '../../../api/posts/queues/plan.ts';
import { toInstant } from '../../../schema/wire/local-time.ts';
import { daily } from '../../support/queues/planner.ts';

const planOf = (timezone: string, ...times: string[]): Plan => ({
  timezone,
  slots: times.flatMap((time) => daily(time)) as Plan['slots'],
});

const between = (plan: Plan, from: string, to: string) =>
  [...slotsBetween(plan, new Date(from), new Date(to))].map(({ at, local, adjusted }) =>
    [at.toISOString().slice(0, 16), local.slice(11), adjusted].join(' '),
  );

describe('slotsBetween', () => {
  test('moves a slot in the gap forward', () => {
    const plan = planOf('Europe/Berlin', '02:30', '09:00');
    expect(between(plan, '2027-03-27T22:00Z', '2027-03-28T22:00Z')).toEqual([
      '2027-03-28T01:30 03:30 gap',
      '2027-03-28T07:00 09:00 none',
    ]);
  });

  test('counts slots that fall on the same time once', () => {
    const plan = planOf('Europe/Berlin', '02:30', '03:30');
    expect(between(plan, '2027-03-27T22:00Z', '2027-03-28T22:00Z')).toEqual([
      '2027-03-28T01:30 03:30 none',
    ]);
  });

  test('keeps the order of times where the gap changes the order of clocks', () => {
    const plan = planOf('Europe/Berlin', '02:45', '03:15');
    expect(between(plan, '2027-03-27T22:00Z', '2027-03-28T22:00Z')).toEqual([
      '2027-03-28T01:15 03:15 none',
      '2027-03-28T01:45 03:45 gap',
    ]);
  });

  test('takes the first time of a slot in the fold', () => {
    const plan = planOf('Europe/Berlin', '02:30');
    expect(between(plan, '2027-10-30T22:00Z', '2027-10-31T22:00Z')).toEqual([
      '2027-10-31T00:30 02:30 fold',
    ]);
  });

  test('passes midnight in order', () => {
    // Clocks there skip the first hour of the day.
    const plan = planOf('Africa/Cairo', '00:30', '01:15');
    expect(between(plan, '2027-04-29T12:00Z', '2027-04-30T12:00Z')).toEqual([
      '2027-04-29T22:15 01:15 none',
      '2027-04-29T22:30 01:30 gap',
    ]);
  });

  test('agrees with the clock on every slot of two years', () => {
    const others = ['America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC'];
    for (const timezone of ['Europe/Berlin', ...others]) {
      const plan = planOf(timezone, '02:10', '09:00');
      const [from, to] = [new Date('2027-01-01T12:00Z'), new Date('2029-01-01T12:00Z')];
      const slots = [...slotsBetween(plan, from, to)];
      const wanted = [];
      for (let day = 0; day <= 731; day++) {
        const date = new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10);
        for (const time of ['02:10', '09:00']) {
          wanted.push(toInstant({ local: `${date}T${time}`, timezone }).at);
        }
      }
      const inPeriod = wanted.filter((at) => at >= from && at < to);
      expect(slots.map(({ at }) => at)).toEqual(inPeriod);
    }
  });

  test('includes the start of the period and not its end', () => {
    const plan = planOf('UTC', '09:00');
    expect(between(plan, '2027-01-01T09:00Z', '2027-01-02T09:00Z')).toEqual([
      '2027-01-01T09:00 09:00 none',
    ]);
  });
});

describe('openSlots', () => {
  test('start in 60 seconds, or after the given time, and end in 366 days', () => {
    const plan = planOf('UTC', '09:00');
    const all = [...openSlots(plan)].map(({ at }) => at.getTime());
    expect(all[0]).toBeGreaterThanOrEqual(Date.now() + 59_000);
    expect(all.at(-1)).toBeLessThan(Date.now() + 366 * 86_400_000);
    expect(all.length).toBeGreaterThan(364);
    expect([...openSlots(plan, new Date(all[3]!))][0]!.at.getTime()).toBe(all[4]);
    expect([...openSlots(plan, new Date(0))][0]!.at.getTime()).toBe(all[0]);
  });
});
