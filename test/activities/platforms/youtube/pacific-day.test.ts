// The end of a day in California, also on the days when its clocks change.
import { expect, test } from 'vitest';
import { nextPacificMidnight } from '../../../../activities/platforms/youtube/pacific-day.ts';

test.each([
  // Winter: 8 hours behind UTC.
  ['2026-01-15T20:00:00Z', '2026-01-16T08:00:00Z'],
  ['2026-01-16T07:59:59.999Z', '2026-01-16T08:00:00Z'],
  ['2026-01-16T08:00:00Z', '2026-01-17T08:00:00Z'],
  // Summer: 7 hours behind UTC.
  ['2026-07-01T06:59:00Z', '2026-07-01T07:00:00Z'],
  ['2026-07-01T07:00:00Z', '2026-07-02T07:00:00Z'],
  // On March 8, clocks go from 2:00 to 3:00, so the day has 23 hours.
  ['2026-03-08T07:59:00Z', '2026-03-08T08:00:00Z'],
  ['2026-03-08T08:00:00Z', '2026-03-09T07:00:00Z'],
  ['2026-03-08T09:59:00Z', '2026-03-09T07:00:00Z'],
  ['2026-03-08T10:00:00Z', '2026-03-09T07:00:00Z'],
  // On November 1, clocks go from 2:00 back to 1:00, so the day has 25 hours.
  ['2026-11-01T06:59:00Z', '2026-11-01T07:00:00Z'],
  ['2026-11-01T07:00:00Z', '2026-11-02T08:00:00Z'],
  ['2026-11-01T08:30:00Z', '2026-11-02T08:00:00Z'],
  ['2026-11-01T09:30:00Z', '2026-11-02T08:00:00Z'],
  // Ends of months and years.
  ['2027-01-01T07:59:00Z', '2027-01-01T08:00:00Z'],
  ['2028-02-29T12:00:00Z', '2028-03-01T08:00:00Z'],
])('the day of %s ends at %s', (now, end) => {
  expect(new Date(nextPacificMidnight(Date.parse(now)))).toEqual(new Date(end));
});
