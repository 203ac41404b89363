// What the commands of users share: the client of a Fanfare, what they print, and their exit codes.
import { Fanfare } from '../../../clients/typescript/src/index.ts';
import { readClientOptions, type ClientArguments, type ClientDefaults } from '../client-options.ts';

export interface Terminal {
  /** Takes the answer of the command. */
  print: (line: string) => void;
  /** Takes notes beside the answer, such as warnings. */
  note: (line: string) => void;
  /** Asks the user. Undefined: nobody can answer, because the command has no terminal. */
  ask: ((question: string) => Promise<boolean>) | undefined;
  /** Whether the answer can be redrawn. */
  isScreen: boolean;
  signal: AbortSignal;
}

export interface CommonArguments extends ClientArguments {
  json?: boolean | undefined;
}

/** Throws an InvalidArgument. */
export async function createClient(
  given: ClientArguments,
  config: ClientDefaults,
): Promise<Fanfare> {
  const { url, key } = await readClientOptions(given, config);
  return new Fanfare({ url, apiKey: key });
}

/** Exit codes of commands that publish or follow a post. 1: the command was refused. */
export const exitCodes = { published: 0, partial: 2, failed: 3, unknown: 4 } as const;

interface Outcome {
  status: string;
  results: { status: string; error_code: string | null }[];
}

/** A draft, a scheduled and a canceled post are as they should be. */
export function exitCodeOf({ status, results }: Outcome): number {
  if (results.some(({ error_code }) => error_code === 'outcome_unknown')) return exitCodes.unknown;
  if (status === 'partial') return exitCodes.partial;
  if (status === 'failed') return exitCodes.failed;
  const known = ['draft', 'scheduled', 'published', 'canceled'];
  return known.includes(status) ? exitCodes.published : exitCodes.unknown;
}

/** One line of JSON for programs. */
export const toJson = (value: unknown): string => JSON.stringify(value);

/** Aligns the columns. Texts of servers can't control the terminal. */
export function toTable(head: string[], rows: (string | null)[][]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => toPlain(cell ?? '')));
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
