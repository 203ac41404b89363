// When a day ends in California, where the daily quotas of YouTube begin anew.
const hourMs = 3_600_000;
const pacific = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
});

type Unit = 'year' | 'month' | 'day' | 'hour';

function readClock(ms: number): Record<Unit, number> {
  const parts = pacific.formatToParts(ms).map(({ type, value }) => [type, Number(value)]);
  return Object.fromEntries(parts) as Record<Unit, number>;
}

/** The time of the next midnight in California, in milliseconds. A day there has 23 to 25 hours. */
export function nextPacificMidnight(nowMs: number): number {
  const { year, month, day } = readClock(nowMs);
  // Midnight in winter. In summer, it is 1:00 by then. Clocks change later, at 2:00.
  const winterMs = Date.UTC(year, month - 1, day + 1, 8);
  return winterMs - readClock(winterMs).hour * hourMs;
}
