// What commands print to people: tables, and texts of servers in one line.

/** Aligns the columns. Texts of servers can't control the terminal. */
export function toTable(head: string[], rows: string[][]): string {
  const cells = [head, ...rows].map((row) => row.map(toPlain));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** In one line, without control characters. */
export const toPlain = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();

/** The beginning of a text. */
export function shorten(text: string, length = 40): string {
  const plain = toPlain(text);
  return plain.length > length ? `${plain.slice(0, length - 1)}…` : plain;
}
