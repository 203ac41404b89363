// CSV in requests and answers: RFC 4180, in UTF-8.
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse, type Info } from 'csv-parse';
import { AppError } from '../../schema/wire/errors.ts';
import { maxJsonValues } from './body.ts';

export interface CsvRow {
  /** The number in a spreadsheet, where the header is row 1. */
  number: number;
  cells: string[];
}

/** Small enough that even a slice of line breaks takes one turn a few milliseconds. */
const sliceBytes = 16_384;

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    yield bytes.subarray(at, at + sliceBytes);
    await nextTurn();
  }
}

/** Reads the rows in several turns. Leaves out rows without text, but counts them. */
export async function readCsv(bytes: Buffer): Promise<CsvRow[]> {
  if (!isUtf8(bytes)) throw new AppError('malformed_csv', 'The body is not valid UTF-8.');
  const parser = Readable.from(slicesOf(bytes)).pipe(
    parse({
      bom: true,
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    }),
  );
  const rows: CsvRow[] = [];
  let [cellCount, number, line] = [0, 0, 1];
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: Info;
    }>) {
      number++;
      line = info.lines + 1;
      cellCount += record.length;
      if (cellCount > maxJsonValues) throw tooManyCells();
      if (record.some((cell) => cell.trim() !== '')) rows.push({ number, cells: record });
    }
  } catch (error) {
    throw error instanceof CsvError ? malformedCsv(error, line) : error;
  }
  return rows;
}

function tooManyCells(): AppError {
  const message = `The body must have at most ${maxJsonValues} cells.`;
  return new AppError('payload_too_large', message, { details: { limit: maxJsonValues } });
}

/** `line`: where the row begins. A quote that is never closed takes in all lines to the end. */
function malformedCsv({ code, ...error }: CsvError, line: number): AppError {
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
  const found = isOpen ? line : Number(error['lines'] ?? line);
  const message = `The body is not valid CSV: line ${found}.`;
  const hint = isOpen
    ? 'A quote is not closed.'
    : 'Put a cell with a quote, a comma or a line break in quotes, and double each quote in it.';
  return new AppError('malformed_csv', message, { hint, details: { line: found } });
}

/** A cell that a spreadsheet would take for a formula gets an apostrophe, so that it is shown as text. */
const formula = /^[=+\-@\t\r]/;
const special = /[",\r\n]/;

export function writeCsvRow(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: string): string {
  const text = formula.test(cell) ? `'${cell}` : cell;
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
