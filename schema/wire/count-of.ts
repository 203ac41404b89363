// Counts in sentences: `1 target`, `2 targets`.

/** For nouns whose plural adds an `s`. */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
