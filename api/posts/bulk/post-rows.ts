// Posts as rows of a CSV file: which columns there are, and what their cells mean.
import type { CreatePosts } from '../../../schema/posts/bulk.ts';
import type { CreatePost } from '../../../schema/posts/posts.ts';
import { countOf } from '../../../schema/wire/count-of.ts';
import { validationError, type Issue } from '../../../schema/wire/errors.ts';
import { fixedLimits } from '../../../schema/wire/limits.ts';
import type { CsvRow } from '../../http/csv.ts';

type ReadCell = (cell: string) => unknown;

const asText: ReadCell = (cell) => cell;
const asWord: ReadCell = (cell) => cell.trim();
/** Spreadsheets write TRUE and FALSE. */
const asFlag: ReadCell = (cell) => {
  const word = cell.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : word;
};
const asList =
  (separator: RegExp): ReadCell =>
  (cell) =>
    cell
      .split(separator)
      .map((item) => item.trim())
      .filter((item) => item !== '');

const ids = asList(/[\s;]/);
/** A URL may have a semicolon. */
const urls = asList(/\s/);

const columns = {
  caption: asText,
  account_ids: ids,
  media_ids: ids,
  media_urls: urls,
  auto_fit: asFlag,
  scheduled_at: asWord,
  publish_by: asWord,
  status: asWord,
  labels: asList(/;/),
  idempotency_key: asWord,
} satisfies Partial<Record<keyof CreatePost, ReadCell>>;

/** A column for each key of a post's metadata. */
const metadataPrefix = 'metadata.';

/** One row, which becomes a post on its own. */
export class PostRow {
  /** The number in a spreadsheet, where the header is row 1. */
  readonly number: number;
  readonly #header: readonly string[];
  readonly #cells: readonly string[];

  constructor(header: readonly string[], { number, cells }: CsvRow) {
    this.number = number;
    this.#header = header;
    this.#cells = cells;
  }

  /** The post without its empty cells. It isn't checked yet. */
  toPost(): object {
    const [actual, limit] = [this.#cells.length, this.#header.length];
    if (actual !== limit) {
      const message = `must have ${countOf(limit, 'cell')} like the header, and has ${actual}`;
      throw validationError([{ path: [], code: 'wrong_cell_count', message, actual, limit }]);
    }
    const named = this.#header.map((name, i) => [name, this.#cells[i]!] as const);
    const given = named.filter(([, cell]) => cell.trim() !== '');
    const isMetadata = ([name]: readonly [string, string]) => name.startsWith(metadataPrefix);
    const members = given
      .filter((pair) => !isMetadata(pair))
      .map(([name, cell]) => [name, columns[name as keyof typeof columns](cell)]);
    const metadata = given
      .filter(isMetadata)
      .map(([name, cell]) => [name.slice(metadataPrefix.length), cell]);
    return { ...Object.fromEntries(members), metadata: Object.fromEntries(metadata) };
  }
}

/** The first row is the header. Throws if the header is wrong, or if there are too many rows. */
function toPosts([header, ...rows]: CsvRow[]): CreatePosts {
  const names = (header?.cells ?? []).map((name) => name.trim());
  const issues = [...checkCount(rows.length), ...checkHeader(names)];
  if (issues.length > 0) throw validationError(issues);
  return { posts: rows.map((row) => new PostRow(names, row)) };
}

function checkCount(actual: number): Issue[] {
  const limit = fixedLimits.bulkPosts;
  const path = ['rows'];
  if (actual > limit) {
    const message = `must have at most ${countOf(limit, 'row')} below the header`;
    return [{ path, code: 'too_big', message, actual, limit }];
  }
  const message = 'must have a header and at least one row below it';
  return actual === 0 ? [{ path, code: 'too_small', message, actual, limit: 1 }] : [];
}

function checkHeader(names: readonly string[]): Issue[] {
  return names.flatMap((name, i): Issue[] => {
    const path = ['rows', 1, name.slice(0, 64)];
    if (!isColumn(name)) {
      return [{ path, code: 'unknown_field', message: 'is not a known column' }];
    }
    const isRepeated = names.indexOf(name) < i;
    return isRepeated ? [{ path, code: 'duplicate', message: 'must not be repeated' }] : [];
  });
}

function isColumn(name: string): boolean {
  return (
    Object.hasOwn(columns, name) ||
    (name.startsWith(metadataPrefix) && name.length > metadataPrefix.length)
  );
}

/** The posts of a CSV file, as the body of a request. */
export const postsAsCsv = {
  columns: [...Object.keys(columns), `${metadataPrefix}<key>`],
  toBody: toPosts,
};
