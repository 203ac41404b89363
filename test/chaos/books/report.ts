// What a run prints: the plan, its progress, and the books at its end.
import type { Book } from './books.ts';

const mostDifferences = 12;

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

/** Not ended when the run stopped waiting, while nothing says that it won't. */
export function countLate(books: readonly Book[]): number {
  return books.flatMap(({ differences }) => differences).filter((line) => lateLine.test(line))
    .length;
}

const lateLine = / is late, not lost: /;

/** True: they balance. */
export function printBooks(
  books: readonly Book[],
  facts: Record<string, string | number>,
): boolean {
  const isBalanced = books.every(({ differences }) => differences.length === 0);
  console.log('');
  for (const [name, value] of Object.entries(facts)) console.log(`${name.padEnd(48)} ${value}`);
  console.log('');
  console.log(`${'book'.padEnd(48)} ${'entries'.padStart(7)}  differences`);
  for (const { name, entries, differences } of books) {
    console.log(
      `${name.padEnd(48)} ${String(entries).padStart(7)}  ${differences.length || 'none'}`,
    );
  }
  for (const { name, differences } of books) {
    if (differences.length === 0) continue;
    console.log(`\n${name}:`);
    for (const line of differences.slice(0, mostDifferences)) console.log(`  ${line}`);
    const rest = differences.length - mostDifferences;
    if (rest > 0) console.log(`  and ${rest} more`);
  }
  const late = countLate(books);
  const others = books.flatMap(({ differences }) => differences).length - late;
  if (late > 0) console.log(`\n${late} late (not ended yet), ${others} other differences.`);
  console.log(isBalanced ? '\nThe books balance.' : '\nThe books do not balance.');
  return isBalanced;
}
