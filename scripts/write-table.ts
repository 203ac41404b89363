// Writes a table in Markdown.

/** Aligned as Prettier formats it. */
export function writeTable(head: string[], rows: string[][]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', String.raw`\|`)),
  );
  const widths = head.map((_, i) => Math.max(...cells.map((row) => row[i]!.length), 3));
  const writeRow = (row: string[]) => `| ${row.map((c, i) => c.padEnd(widths[i]!)).join(' | ')} |`;
  const [first, ...others] = cells.map(writeRow);
  const line = writeRow(widths.map((width) => '-'.repeat(width)));
  return [first, line, ...others].join('\n');
}
