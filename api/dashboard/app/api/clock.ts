// The time of the server, since the clock of a browser can be a day off.

let offsetMs = 0;
/** The header `Date` has whole seconds, and the answer takes a while. */
const toleranceMs = 5_000;

export function readServerTime(header: string | null): void {
  const at = Date.parse(header ?? '');
  if (Number.isNaN(at)) return;
  const difference = at - Date.now();
  offsetMs = Math.abs(difference) > toleranceMs ? difference : 0;
}

export const now = (): number => Date.now() + offsetMs;
