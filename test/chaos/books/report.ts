// What a run prints: the plan, its progress, and the books at its end.
import type { Pace } from '../machine.ts';
import type { Book } from './records.ts';
import type { Repeats } from './repeats.ts';

const mostLines = 12;

export function printPlan(seed: number, faults: readonly { name: string }[]): void {
  console.log(`Seed ${seed}. Repeat with: npm run chaos -- --seed ${seed}`);
  console.log(`Faults: ${faults.map(({ name }) => name).join(', ')}.`);
}

export function createProgress(): (line: string) => void {
  const startedAt = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${seconds.padStart(6)} s  ${line}`);
  };
}

export function describePace({ postMs, slowness, perSecond }: Pace): string {
  const speed = `A post takes ${postMs.toFixed(0)} ms, ${slowness.toFixed(1)} times a quiet machine's`;
  return `${speed}. Load: ${perSecond.toFixed(1)} posts/s; deadlines times ${slowness.toFixed(1)}.`;
}

/** How often what a fault caught in flight was taken again, which is never more than it caught. */
export function describeRepeats({ repeats, faults }: Repeats): Record<string, string | number> {
  const caught = faults
    .filter(({ inFlight }) => inFlight > 0)
    .map(({ name, inFlight, repeats: again }) => [
      `  after ${name}`,
      `${again} of ${inFlight} in flight`,
    ]);
  return { 'deliveries taken again': repeats, ...Object.fromEntries(caught) };
}

/** More than this share of a book late, and the run shows too little. */
export const mostLate = 0.1;

/** Late entries alone don't make a book differ, up to that share of them. */
export function isBalanced({ entries, differences, late = [] }: Book): boolean {
  return differences.length === 0 && late.length <= entries * mostLate;
}

/** True: they balance. */
export function printBooks(
  books: readonly Book[],
  facts: Record<string, string | number>,
): boolean {
  const row = (...[name, ...cells]: (string | number)[]) =>
    console.log(
      `${String(name).padEnd(44)}${cells.map((cell) => String(cell).padStart(13)).join('')}`,
    );
  console.log('');
  for (const [name, value] of Object.entries(facts)) row(name, value);
  console.log('');
  row('book', 'entries', 'late', 'differences');
  for (const { name, entries, differences, late = [] } of books) {
    row(name, entries, late.length || 'none', differences.length || 'none');
  }
  for (const { name, differences, late = [] } of books) {
    printLines(`${name}: differences`, differences);
    printLines(`${name}: late, not lost`, late);
  }
  const areBalanced = books.every(isBalanced);
  const late = books.flatMap((book) => book.late ?? []).length;
  const share = `at most ${mostLate * 100}% of a book may be`;
  if (late > 0) console.log(`\n${late} had not ended in time, but went on (${share}).`);
  console.log(areBalanced ? '\nThe books balance.' : '\nThe books do not balance.');
  return areBalanced;
}

function printLines(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  console.log(`\n${title}:`);
  for (const line of lines.slice(0, mostLines)) console.log(`  ${line}`);
  const rest = lines.length - mostLines;
  if (rest > 0) console.log(`  and ${rest} more`);
}
