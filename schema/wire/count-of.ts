// Counts in sentences: `1 target`, `2 targets`.

/** Of things that take an `s`. */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
