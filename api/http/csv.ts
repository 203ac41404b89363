// CSV in requests and answers: RFC 4180, in UTF-8.
import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse, type Info } from 'csv-parse';
import { AppError } from '../../schema/wire/errors.ts';
import { maxJsonValues } from './body.ts';

export interface CsvRow {
  /** The number in a spreadsheet, where the header is row 1. */
  number: number;
  cells: string[];
}

/** The parser takes a few milliseconds for a slice, even for one of line breaks. */
const sliceBytes = 16_384;

/** Yields the text in slices, each in its own turn. Throws before a slice with too many cells is parsed. */
async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  const count = createCellCounter();
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const slice = bytes.subarray(at, at + sliceBytes);
    if (count(slice) > maxJsonValues) throw tooManyCells();
    yield slice;
    await nextTurn();
  }
}

const [comma, quote, lineFeed, carriageReturn] = [0x2c, 0x22, 0x0a, 0x0d];

/** Counts the ends of cells in all slices so far, because one row could have millions of cells. */
function createCellCounter(): (slice: Buffer) => number {
  let count = 0;
  let isQuoted = false;
  let before = 0;
  return (slice) => {
    for (const byte of slice) {
      if (byte === quote) isQuoted = !isQuoted;
      else if (!isQuoted) {
        const isEnd = byte === comma || byte === carriageReturn;
        if (isEnd || (byte === lineFeed && before !== carriageReturn)) count++;
      }
      before = byte;
    }
    return count;
  };
}

/** Reads the rows in several turns. Leaves out rows without text, but counts them. */
export async function readCsv(bytes: Buffer): Promise<CsvRow[]> {
  if (!isUtf8(bytes)) throw new AppError('malformed_csv', 'The body is not valid UTF-8.');
  const parser = parse({
    bom: true,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  });
  const rows: CsvRow[] = [];
  let [number, line] = [0, 1];
  try {
    await pipeline(
      slicesOf(bytes),
      parser,
      async (records: AsyncIterable<{ record: string[]; info: Info }>) => {
        for await (const { record, info } of records) {
          number++;
          line = info.lines + 1;
          if (record.some((cell) => cell.trim() !== '')) rows.push({ number, cells: record });
        }
      },
    );
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
