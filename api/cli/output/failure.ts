// What a command that failed prints: a message for people, and `{"error": {…}}` for programs with `--json`.
import { inspect } from 'node:util';
import { FanfareError } from '../../../clients/typescript/src/index.ts';
import { InvalidArgument, seeHelp } from './invalid-argument.ts';
import { toPlain } from './table.ts';

interface Failure {
  text: string;
  data: { code: string; message: string };
  /** Whether the command line or the environment has to change. */
  isUsage: boolean;
}

export function describeFailure(error: unknown): Failure {
  const { message, code, cause } = error as Error & { code?: string };
  if (error instanceof FanfareError) return describeRefusal(error);
  if (code?.startsWith('ERR_PARSE_ARGS')) {
    // Removes Node's advice on positional arguments that begin with a hyphen.
    const reason = message.replace(/ To specify a positional .*$/s, '');
    return describeUsage(`${reason}\n${seeHelp}`);
  }
  if (error instanceof InvalidArgument) return describeUsage(message);
  const text = cause === undefined ? message : `${message}\n${inspect(cause)}`;
  return { text, data: { code: 'failed', message }, isUsage: false };
}

const describeUsage = (message: string): Failure => ({
  text: message,
  data: { code: 'invalid_argument', message },
  isUsage: true,
});

const unreachable =
  'Is Fanfare started, and is this its address? See --url, FANFARE_URL and FANFARE_PORT.';

function describeRefusal(error: FanfareError): Failure {
  const { code, message, issues, status, requestId, isRetriable: is_retriable } = error;
  // A stream that the server ended has no cause.
  const isUnreachable = code === 'connection_failed' && error.cause !== undefined;
  const hint = error.hint ?? (isUnreachable ? unreachable : undefined);
  const data = { code, message, hint, issues, status, request_id: requestId, is_retriable };
  const lines = [
    `${message} ${hint ?? ''}`,
    // The message of a single issue is the same line.
    ...issues
      .map(({ path, message: reason }) => `  ${path}: ${reason}`)
      .filter((line) => line.trim() !== message),
    ...(requestId === undefined ? [] : [`Request: ${requestId}`]),
  ];
  return { text: lines.map(strip).join('\n'), data, isUsage: false };
}

/** Keeps the indentation. */
const strip = (line: string) => `${/^ */.exec(line)![0]}${toPlain(line)}`;
