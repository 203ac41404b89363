// Posts as rows of a CSV file: which columns there are, and what their cells mean.
import type { CreatePosts } from '../../../schema/posts/bulk.ts';
import { CreatePost } from '../../../schema/posts/posts.ts';
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

const readers: Readonly<Record<string, ReadCell>> = {
  caption: asText,
  account_ids: ids,
  media_ids: ids,
  media_urls: urls,
  auto_fit: asFlag,
  scheduled_at: asWord,
  'schedule.local': asWord,
  'schedule.timezone': asWord,
  queue_id: asWord,
  queue_position: asWord,
  publish_by: asWord,
  status: asWord,
  labels: asList(/;/),
  idempotency_key: asWord,
};

/** `schedule.local` → `schedule` and `local`. A member of its own has no second part. */
function splitName(name: string): [member: string, inner: string | undefined] {
  const at = name.indexOf('.');
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

/** The columns of the members that a post has. */
const columns = new Map(
  Object.entries(readers).filter(([name]) => Object.hasOwn(CreatePost.shape, splitName(name)[0])),
);

/** A column for each key of a post's metadata. */
const metadataPrefix = 'metadata.';

/** A post in one row of the file. */
export class CsvPost {
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
    const post: Record<string, unknown> = {};
    for (const [i, name] of this.#header.entries()) {
      const cell = this.#cells[i]!;
      if (cell.trim() === '') continue;
      const value = (columns.get(name) ?? asText)(cell);
      const [member, inner] = splitName(name);
      if (inner === undefined) post[member] = value;
      else post[member] = { ...(post[member] as object | undefined), [inner]: value };
    }
    return post;
  }
}

/** The first row is the header. Throws if the header is wrong, or if there are too many rows. */
function toPosts([header, ...rows]: CsvRow[]): CreatePosts {
  const names = (header?.cells ?? []).map((name) => name.trim());
  const issues = [...checkCount(rows.length), ...checkHeader(names)];
  if (issues.length > 0) throw validationError(issues);
  return { posts: rows.map((row) => new CsvPost(names, row)) };
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
  return columns.has(name) || (name.startsWith(metadataPrefix) && name !== metadataPrefix);
}

/** The posts of a CSV file, as the body of a request. */
export const postsAsCsv = {
  columns: [...columns.keys(), `${metadataPrefix}<key>`],
  toBody: toPosts,
};
