// A time as people say it, with the exact one beside the pointer and for machines.
import { useEffect, useState } from 'react';
import { now } from '../api/clock.ts';
import { dayMs } from '../browser/days.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const units = [
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const againMs = 20_000;

export function Time({ at }: { at: string }) {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), againMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {toText(Date.parse(at))}
    </time>
  );
}

/** The exact time, and beside a near one how far away it is. */
export function ExactTime({ at }: { at: string }) {
  return (
    <>
      {exactTime(at)}
      {isNear(Date.parse(at)) && (
        <>
          {' '}
          (<Time at={at} />)
        </>
      )}
    </>
  );
}

const isNear = (at: number): boolean => Math.abs(at - now()) <= 7 * dayMs;

export const exactTime = (at: string): string => exact.format(new Date(at));

function toText(at: number): string {
  const difference = at - now();
  const [unit, ms] = units.find(([, ms]) => Math.abs(difference) >= ms) ?? ['second', 1_000];
  if (unit === 'second') return difference > 0 ? 'in a moment' : 'just now';
  if (!isNear(at)) return exact.format(at);
  return relative.format(Math.round(difference / ms), unit);
}
